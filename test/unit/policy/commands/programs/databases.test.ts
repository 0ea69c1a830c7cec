// Clients of databases, and tools that migrate them.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../../src/policy/decide.ts";

const decision = (command: string) =>
	decide(
		{ action: "Run", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	).decision;

const lines = (text: string) => text.trim().split("\n");

const LOSING = `
redis-cli EVAL "return redis.call('FLUSHALL')" 0
redis-cli -h prod -p 6379 -a x FLUSHALL
redis-cli --tls -u redis://x CONFIG SET dir /root/.ssh
redis-cli MODULE LOAD /tmp/x.so
mongosh "mongodb://x/db" --eval 'db.getCollection("x").drop()'
mongosh --eval 'db["users"]["drop"]()'
mongosh --eval 'db.adminCommand({shutdown:1})'
mongosh --eval 'db.runCommand({dropDatabase:1})'
mongo --quiet --eval="db.dropDatabase()"
cqlsh -e 'TRUNCATE ks.t'
cqlsh -e 'DROP KEYSPACE ks'
sqlcmd -S s -Q "DROP DATABASE x"
sqlcmd -S s -d x -Q "EXEC xp_cmdshell 'whoami'"
bq query 'DELETE FROM d.t WHERE true'
bq query --use_legacy_sql=false 'DROP TABLE d.t'
bq rm -r -f d
snowsql -q 'DROP DATABASE x'
clickhouse-client --query 'DROP TABLE x'
clickhouse client --query 'TRUNCATE TABLE x'
duckdb x.db 'DROP TABLE x'
mysql -uroot -psecret -e 'DROP DATABASE x'
mysql -e'DROP DATABASE x'
mysql db -Be 'truncate t'
mysql -h h -D d --execute="delete from t"
mysqladmin drop db
psql -c 'DROP TABLE x'
psql -Atc 'DROP TABLE x'
psql postgres://u@h/d -c "DELETE FROM t"
echo 'DROP TABLE x' | psql
psql <<< 'DROP TABLE x'
dropdb x
pg_restore --clean -d x dump
sqlite3 app.db 'DROP TABLE x'
sqlite3 -cmd 'DROP TABLE x' app.db
sqlite3 app.db '.shell rm -rf ~'
sqlplus -s u/p <<< 'drop user x cascade;'
mariadb -e 'drop table x'
mycli -e 'drop table x'
influx delete --bucket b --start 1970-01-01T00:00:00Z --stop 2030-01-01T00:00:00Z
influx bucket delete -n b
influx -execute 'DROP DATABASE x'
etcdctl del --prefix ''
rabbitmqctl delete_queue q
rabbitmqctl purge_queue q
kafka-topics.sh --delete --topic t
cockroach sql -e 'DROP TABLE x'
nodetool decommission
supabase db reset
prisma migrate reset --force
prisma db push --accept-data-loss
prisma db push --force-reset
drizzle-kit drop
rails db:drop
bin/rails db:reset
rails db:migrate:reset
rails db:seed:replant
rails db:schema:load
bundle exec rake db:drop
python manage.py flush --noinput
python manage.py reset_db
php artisan migrate:fresh --seed
php artisan db:wipe
typeorm schema:drop
npx sequelize db:drop
npx sequelize-cli db:migrate:undo:all
liquibase drop-all
liquibase dropAll
flyway clean
dbmate drop
goose reset
migrate -path x -database y drop -f
curl -X DELETE https://api.x.com/items/1
curl --request=DELETE https://api.x.com/items/1
http DELETE https://api.x.com/1
xh delete https://api.x.com/1
wget --method=DELETE https://x.com/1
wget --method DELETE https://x.com/1
`;

const CHANGING = `
redis-cli --eval wipe.lua
redis-cli SLAVEOF x 6379
redis-cli KEYS '*' | xargs redis-cli DEL
redis-cli ACL SETUSER x on
redis-cli DEL a
mongosh --eval 'db.users.deleteMany({_id:{$exists:true}})'
mongosh --eval 'db.users.updateMany({}, {$set:{a:1}})'
mongosh --eval 'db.users.aggregate([{$out:"x"}])'
mongosh --eval 'db.createUser({user:"x",pwd:"y",roles:["root"]})'
clickhouse-client --multiquery < x.sql
mysql db < dump.sql
psql < x.sql
sqlite3 app.db < x.sql
etcdctl put a b
etcdctl member remove 1
npx prisma migrate deploy
knex migrate:rollback --all
rails db:rollback
flask db downgrade
flask db downgrade base
alembic downgrade base
alembic downgrade -1
php artisan migrate:rollback
npx typeorm migration:revert
`;

const HARMLESS = `
redis-cli EVAL "return 1" 0
redis-cli -n 1 GET delete
redis-cli INFO
redis-cli --scan --pattern 'a*'
redis-cli CONFIG GET maxmemory
redis-cli SET a b
mongosh --eval "db.users.find()"
mongosh --eval 'db.users.countDocuments()'
sqlcmd -Q "SELECT 1"
bq query 'SELECT 1'
bq ls
bq show d.t
clickhouse-client -q 'SELECT 1'
clickhouse local --query 'SELECT 1'
duckdb x.db -c 'SELECT 1'
duckdb :memory: "SELECT * FROM 'a.csv'"
mysql -e 'select 1'
mysqldump db > dump.sql
psql -c 'SELECT 1'
psql -l
pg_dump db > x.sql
pg_dump --clean db
createdb x
sqlite3 -readonly app.db 'SELECT 1'
sqlite3 app.db .schema
pgcli -c x
influx query 'from(bucket:"b")'
etcdctl get /x
etcdctl member list
rabbitmqctl list_queues
rabbitmqctl status
kafka-topics.sh --list --bootstrap-server x
cockroach sql --execute='SELECT 1'
nodetool status
npx drizzle-kit generate
knex migrate:latest
knex seed:run
rails db:migrate
python manage.py migrate
flask db upgrade
alembic upgrade head
alembic current
php artisan migrate
liquibase status
flyway info
dbmate up
migrate -path x -database y up
redis-cli SET note 'FLUSHALL later'
mongosh --eval 'db.tasks.find({drop: 1, shutdown: false})'
mongosh --eval 'db.adminCommand({ping: 1})'
`;

describe("a client of a database", () => {
	it.each(lines(LOSING))("is denied: %s", (command) => {
		expect(decision(command)).toBe("deny");
	});

	it.each(lines(CHANGING))("is asked about: %s", (command) => {
		expect(decision(command)).toBe("confirm");
	});

	it.each(lines(HARMLESS))("is allowed: %s", (command) => {
		expect(decision(command)).toBe("allow");
	});
});
