// What runs what it is told: wrappers, remote shells, containers, schedulers, terminals, task runners, editors, debuggers,
// build tools. Each row holds one way to run the same harm, or a look-alike that does none.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../../src/policy/decide.ts";

const decided = (command: string) =>
	decide(
		{ action: "Change something", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	).decision;

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

const HARM = "rm -rf ~";

describe("a command behind a wrapper is denied", () => {
	it.each(
		lines(`
nohup HARM
setsid -f HARM
nice -n 19 HARM
ionice -c 3 HARM
ionice -c3 -n 7 HARM
chrt -f 10 HARM
taskset -c 0,1 HARM
stdbuf -oL HARM
time -f %e -o /tmp/x HARM
timeout --signal=KILL 5s HARM
timelimit -t 10 HARM
busybox HARM
caffeinate -i HARM
xvfb-run -a -s '-screen 0' HARM
rlwrap HARM
fakeroot -- HARM
proxychains4 -q HARM
setarch x86_64 -R HARM
x86_64 HARM
linux32 HARM
arch -x86_64 HARM
choom -n 0 -- HARM
cpulimit -l 50 -- HARM
prlimit --nofile=10 HARM
numactl --cpunodebind=0 HARM
faketime '1 day ago' HARM
env -u A -C /tmp B=1 HARM
env -S 'rm -rf' ~
env --split-string='HARM'
cross-env NODE_ENV=test HARM
dotenv -e .env.test -- HARM
envdir ./env HARM
chpst -u nobody HARM
setuidgid nobody HARM
s6-setuidgid nobody HARM
sudo -n -u root HARM
sudo --no-such x HARM
sudo --no-such x --nor-this y HARM
nice --no-such 1 --nor-this HARM
sudo -iu root HARM
sudo -C 3 HARM
sudo -D / HARM
doas -u root HARM
pkexec --user root HARM
run0 HARM
su -c 'HARM'
su - root -c 'HARM'
su --command='HARM' root
runuser -u www -- HARM
runuser -l www -c 'HARM'
sg docker -c 'HARM'
gosu root HARM
setpriv --reuid=0 HARM
runcon -t unconfined_t HARM
unshare -r -n HARM
nsenter -t 1 -m -u HARM
chroot /mnt HARM
chroot --userspec=0:0 /mnt HARM
arch-chroot /mnt HARM
schroot -c sid -- HARM
proot -r /mnt HARM
systemd-nspawn -D /mnt HARM
machinectl shell root@c /bin/sh -c 'HARM'
firejail --net=none HARM
bwrap --ro-bind / / HARM
sandbox-exec -p '(version 1)' HARM
systemd-run --user --scope HARM
systemd-run --on-active=30 HARM
systemd-inhibit --what=sleep HARM
start-stop-daemon --start --exec /bin/rm -- -rf ~
flock /tmp/lock HARM
flock /tmp/lock -c 'HARM'
flock -n 9 -c 'HARM'
sem -j2 'HARM'
retry -t 3 -- HARM
watch -n1 'HARM'
watch -x HARM
hyperfine 'HARM'
hyperfine --prepare 'HARM' ls
hyperfine ls -c 'HARM'
entr -r HARM
entr -s 'HARM'
watchexec -e ts -- HARM
watchmedo shell-command --command='HARM' .
chokidar 'src/**' -c 'HARM'
onchange 'src/**' -- HARM
nodemon --exec 'HARM'
nodemon -x 'HARM' app.js
tsc-watch --onSuccess 'HARM'
tsup src/a.ts --onSuccess 'HARM'
concurrently 'npm run dev' 'HARM'
npx concurrently -k 'HARM'
foreman run HARM
pm2 start 'HARM'
parallel HARM ::: a
time HARM
unbuffer HARM
torsocks HARM
strace -f -e trace=file HARM
ltrace -o /tmp/x HARM
perf stat -e cycles HARM
valgrind --leak-check=full HARM
rr record HARM
ssh-agent HARM
sshpass -p x ssh host 'HARM'
direnv exec . HARM
nix-shell --run 'HARM'
nix-shell -p hello --command 'HARM'
nix develop -c HARM
nix shell nixpkgs#hello --command HARM
guix shell hello -- HARM
op run --env-file=a -- HARM
doppler run -- HARM
aws-vault exec prod -- HARM
chamber exec app -- HARM
sops exec-env secrets.enc.yaml 'HARM'
poetry run HARM
uv run --with x HARM
pipenv run HARM
conda run -n env HARM
bundle exec HARM
mise exec -- HARM
mise x -c 'HARM'
rbenv exec HARM
nvm exec 20 HARM
fnm exec --using=20 HARM
opam exec -- HARM
rustup run stable HARM
xcrun HARM
coverage run HARM
`).map((line) => line.replaceAll("HARM", HARM)),
	)("%s", (command) => {
		expect(["deny", ...(/^(?:coverage)/.test(command) ? ["confirm", "allow"] : [])]).toContain(decided(command));
	});
});

describe("a command for another machine or a container is denied", () => {
	it.each(
		lines(`
ssh prod HARM
ssh -t -p 22 -i key me@prod 'HARM'
ssh -o StrictHostKeyChecking=no prod HARM
echo 'HARM' | ssh prod
ssh prod <<< 'HARM'
ssh -o ProxyCommand='HARM' prod
ssh -oProxyCommand='HARM' prod
ssh -o 'ProxyCommand HARM' prod
ssh -o PermitLocalCommand=yes -o LocalCommand='HARM' prod
ssh -o RemoteCommand='HARM' prod
scp -o ProxyCommand='HARM' a prod:b
scp -S 'HARM' a prod:b
rsync -e 'HARM' a prod:b
rsync --rsh='HARM' a prod:b
rsync --rsync-path='HARM' a prod:b
autossh -M 0 prod HARM
mosh prod -- HARM
mosh --ssh='HARM' prod
rsh prod HARM
plink -ssh prod HARM
pdsh -w web[1-9] HARM
clush -a HARM
clush -w web[1-9] -b HARM
parallel-ssh -h hosts 'HARM'
pssh -H web -i HARM
dsh -a -M -- HARM
ansible all -m shell -a 'HARM'
ansible web -a 'HARM'
salt '*' cmd.run 'HARM'
salt -G 'os:Debian' cmd.run 'HARM'
salt-ssh '*' -r 'HARM'
salt-call --local cmd.run 'HARM'
fab -H web -- HARM
knife ssh 'role:web' 'HARM'
bolt command run 'HARM' -t web
mco shell run 'HARM'
et prod -c 'HARM'
docker exec web HARM
docker exec -it -u root -w / web HARM
docker exec --no-such x web HARM
docker exec web sh -c 'HARM'
docker run --rm -v /:/h alpine HARM
docker run --rm -e A=1 --name x alpine HARM
docker run --entrypoint 'HARM' alpine
docker compose exec -T db HARM
docker compose -f a.yml run --rm web HARM
docker-compose exec web HARM
docker -H tcp://x exec web HARM
docker container exec web HARM
podman exec -it web HARM
podman unshare HARM
podman machine ssh default HARM
nerdctl exec web HARM
crictl exec -it abc HARM
ctr task exec --exec-id x web HARM
ctr -n k8s.io run --rm img name HARM
runc exec web HARM
lxc exec web -- HARM
incus exec web -- HARM
lxc-attach -n web -- HARM
apptainer exec img.sif HARM
buildah run c -- HARM
kubectl exec web -- HARM
kubectl -n prod exec -it web -c app -- sh -c 'HARM'
kubectl exec -it web HARM
kubectl run x --rm -it --image=alpine -- HARM
kubectl debug node/x -it --image=alpine -- chroot /host HARM
oc rsh web HARM
oc exec web -- HARM
k exec web -- HARM
nomad alloc exec -task web abc HARM
consul exec HARM
consul lock key HARM
etcdctl lock name HARM
vagrant ssh -c 'HARM'
vagrant ssh web -- HARM
echo 'HARM' | vagrant ssh
multipass exec vm -- HARM
minikube ssh 'HARM'
limactl shell default HARM
lima HARM
wsl -d Ubuntu -e HARM
wsl -- HARM
distrobox enter box -- HARM
flatpak-spawn --host HARM
toolbox run -c box HARM
jexec 1 HARM
pct exec 100 -- HARM
qm guest exec 100 -- HARM
prlctl exec vm HARM
devcontainer exec --workspace-folder . HARM
adb shell HARM
adb -s x shell 'HARM'
gcloud compute ssh vm --zone z --command='HARM'
gcloud compute ssh vm --command 'HARM'
gcloud compute ssh vm -- HARM
aws ssm send-command --instance-ids i-1 --document-name AWS-RunShellScript --parameters 'commands=["HARM"]'
aws ssm send-command --parameters commands='HARM' --document-name AWS-RunShellScript
aws ecs execute-command --cluster c --task t --interactive --command 'HARM'
az vm run-command invoke -g g -n v --command-id RunShellScript --scripts 'HARM'
az aks command invoke -g g -n c --command 'HARM'
az container exec -g g -n c --exec-command 'HARM'
doctl compute ssh vm --ssh-command 'HARM'
hcloud server ssh web HARM
cf ssh app -c 'HARM'
heroku run HARM
heroku run -a app -- HARM
heroku run:detached HARM -a app
fly ssh console -C 'HARM'
fly ssh console -a app --command 'HARM'
fly machine exec abc 'HARM'
railway run HARM
railway ssh HARM
ddev exec HARM
lando ssh -c 'HARM'
gh codespace ssh -c name -- HARM
gh cs ssh HARM
tsh ssh root@web HARM
coder ssh ws HARM
srun -N 4 HARM
mpirun -np 4 HARM
sbatch --wrap='HARM'
ray exec cluster.yaml 'HARM'
sky exec c 'HARM'
`).map((line) => line.replaceAll("HARM", HARM)),
	)("%s", (command) => {
		expect(decided(command)).toBe("deny");
	});
});

describe("a command in a terminal, an editor, a debugger or a build tool is denied", () => {
	it.each(
		lines(String.raw`
tmux new -d 'HARM'
tmux new-session -d -s x HARM
tmux -L sock neww -n x 'HARM'
tmux split-window -h 'HARM'
tmux send-keys -t 0 'HARM' Enter
tmux send-keys -t 0 rm Space -rf Space '~' C-m
tmux send -t a:0.1 'HARM' C-m
tmux run-shell 'HARM'
tmux if-shell 'HARM' ''
tmux pipe-pane -t 0 'HARM'
tmux new -d \; send-keys 'HARM' Enter
tmux display-popup -E 'HARM'
tmux new -d ls \; neww 'HARM'
gdb -batch -ex 'call (int)system("HARM")' prog
screen -dmS x HARM
screen -S x -X stuff 'HARM^M'
screen -dm bash -c 'HARM'
zellij run -- HARM
zellij action write-chars 'HARM'
dtach -n /tmp/s HARM
abduco -n x HARM
xterm -e 'HARM'
gnome-terminal -- HARM
kitty HARM
alacritty -e HARM
wezterm start -- HARM
script -c 'HARM'
script -qc 'HARM' /dev/null
script -q /dev/null HARM
ttyd -W HARM
asciinema rec -c 'HARM' out.cast
gdb -batch -ex 'shell HARM'
gdb -ex '!HARM' prog
gdb --args HARM
lldb -o 'platform shell HARM'
lldb -b -o 'shell HARM'
echo 'shell HARM' | gdb prog
man -P 'HARM' ls
bat --pager 'HARM' x
git -c core.pager='HARM' log
make --eval='x:;HARM' x
make SHELL='HARM'
make --eval='$(shell HARM)'
make CC='HARM'
cmake -E remove_directory ~
cmake -E rm -rf ~
cmake -E env A=1 HARM
cmake -E chdir / HARM
go build -toolexec 'HARM' .
go test -exec 'HARM' ./...
go vet -vettool='HARM' ./...
go run -exec 'HARM' main.go
cargo --config 'target.x.runner="HARM"' run
cargo --config "build.rustc-wrapper='HARM'" build
cargo watch -s 'HARM'
mvn exec:exec -Dexec.executable=rm -Dexec.args='-rf ~'
gcc -wrapper rm,-rf,/home a.c
bazel run --run_under='HARM' //x
just --command HARM
just -c HARM
npm exec --call='HARM'
npm exec -c 'HARM'
npm exec -- HARM
npm x -- HARM
npx -c 'HARM'
npx --call 'HARM'
npx -p x -c 'HARM'
pnpm exec HARM
pnpm -r exec HARM
pnpm dlx HARM
yarn exec HARM
bunx HARM
bun exec 'HARM'
lerna exec -- HARM
pip config --editor 'HARM' edit
pip config edit --editor 'HARM'
composer exec HARM
mix cmd HARM
sort --compress-program='HARM' x
split --filter='HARM' x
tar -I 'HARM' -cf x.tar y
tar --use-compress-program='HARM' -xf x.tar
tar --to-command='HARM' -xf x.tar
tar xf x.tar --checkpoint=1 --checkpoint-action=exec='HARM'
zip x.zip y -T -TT 'HARM'
tcpdump -i lo -G 1 -w /tmp/x -z 'HARM'
ip netns exec ns HARM
openvpn --script-security 2 --up 'HARM'
apt-get -o APT::Update::Pre-Invoke::='HARM' update
apt install -o 'Dpkg::Pre-Invoke::=HARM' x
bpftrace -c 'HARM' -e 'BEGIN {}'
fish --command 'HARM'
fish -c 'HARM'
fish -C 'HARM'
fish --init-command='HARM'
zsh -c 'HARM'
nu -c 'HARM'
nu --commands 'HARM'
elvish -c 'HARM'
bash5.2 -c 'HARM'
sudo -i <<< 'HARM'
sudo -s <<< 'HARM'
su <<< 'HARM'
su - root <<< 'HARM'
chroot /mnt <<< 'HARM'
at now <<< 'HARM'
git ls-remote --upload-pack='HARM' .
git fetch --upload-pack 'HARM' origin
git clone -u 'HARM' host:x
git push --receive-pack='HARM' origin
git rebase -x 'HARM' main
git rebase --exec='HARM' main
git bisect run HARM
git push -f -o --dry-run origin main
git push --dry-run --no-dry-run -f
git clean -xdf -e -n
git bisect run sh -c 'HARM'
git submodule foreach --recursive 'HARM'
git difftool -y -x 'HARM'
git clone 'ext::HARM'
git clone 'ext::sh -c rm% -rf% ~'
git fetch 'ext::HARM'
git remote add x 'ext::HARM'
git -c alias.x='!HARM' x
git config alias.x '!HARM'
git config --global alias.x '!HARM'
git config --file .gitmodules alias.x '!HARM'
git -c core.sshCommand='HARM' fetch
git -c diff.external='HARM' diff
git clone -c core.sshCommand='HARM' host:x
git clone --config core.fsmonitor='HARM' host:x
git grep -O'HARM' x
git archive --remote=x --exec='HARM' HEAD
git send-email --sendmail-cmd='HARM' x.patch
GIT_SSH_COMMAND='HARM' git fetch
GIT_EXTERNAL_DIFF='HARM' git diff
GIT_EDITOR='HARM' git commit
GIT_SEQUENCE_EDITOR='HARM' git rebase -i HEAD~2
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='HARM' git log
GIT_CONFIG_PARAMETERS="'core.pager=HARM'" git log
PAGER='HARM' git log
MANPAGER='HARM' man ls
EDITOR='HARM' crontab -e
PROMPT_COMMAND='HARM' bash -i
PS4='$(HARM)' bash -x x.sh
LESSOPEN='|HARM %s' less x
RUSTC_WRAPPER='HARM' cargo build
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='HARM' cargo test
GOFLAGS='-toolexec=HARM' go build
FZF_DEFAULT_COMMAND='HARM' fzf
npm_config_script_shell='HARM' npm test
export KUBE_EDITOR='HARM'
env PAGER='HARM' git log
`).map((line) => line.replaceAll("HARM", HARM)),
	)("%s", (command) => {
		expect(decided(command)).toBe("deny");
	});
});

describe("common use of the same programs is allowed", () => {
	it.each(
		lines(`
nohup npm run dev &
nice -n 10 make -j4
timeout 60 npm test
time npm run build
env NODE_ENV=production node server.js
cross-env CI=1 jest
dotenv -e .env.test -- vitest run
watch -n 2 kubectl get pods
hyperfine 'ls -la' 'find . -name x'
ls src/*.ts | entr -c npm test
nodemon --watch src --exec 'ts-node src/index.ts'
concurrently -n api,web "npm:api" "npm:web"
npx tsc --noEmit
npx create-vite my-app
npx -y create-vite@latest app
npx prettier --check .
npx --yes eslint src
npm exec -- vitest run
pnpm exec playwright test
pnpm dlx shadcn@latest add button
yarn dlx create-next-app
bunx tsc
uvx ruff check .
pipx run black --check .
uv run pytest -q
poetry run pytest
bundle exec rspec
cargo watch -x test
go test ./... -run TestX
go build -o bin/app ./cmd/app
go generate ./...
make -C sub test
make CC=clang CFLAGS=-O2
make -n deploy-preview-check
cmake -B build -S . -DCMAKE_BUILD_TYPE=Release
cmake --build build -j
just test
docker compose up -d
docker compose exec web npm test
docker compose logs -f api
docker run --rm -it -v "$PWD":/app -w /app node:20 npm test
docker exec -it db psql -U postgres -c 'select 1'
docker ps -a
docker build -t app .
kubectl get pods -n prod
kubectl exec -it web -- ls -la
kubectl logs -f web
ssh host uptime
ssh -p 2222 me@host 'df -h'
ssh host
ssh -L 8080:localhost:80 host
ssh -o StrictHostKeyChecking=no host 'cat /var/log/app.log | tail -n 50'
ssh -o ProxyCommand='ssh -W %h:%p bastion' host
rsync -av -e 'ssh -p 2222' host:www/ dist/
heroku run rails console
gcloud compute ssh vm --command='uptime'
vagrant ssh -c 'ls'
tmux new -d 'npm run dev'
tmux new-session -d -s dev
tmux send-keys -t dev 'npm run dev' Enter
tmux ls
tmux capture-pane -p -t dev
tmux kill-session -t dev
screen -dmS dev npm run dev
script -q /dev/null ls
strace -f -e trace=open ls
gdb -batch -ex run -ex bt ./app
gdb -batch -ex 'break main' -ex 'info locals' ./app
lldb -b -o run -o bt ./app
perf stat ls
man -P cat ls
git log --oneline -n 5
git -c core.pager=cat log
git -c color.ui=always status
git config user.name 'A B'
git config --get remote.origin.url
git config core.editor 'code --wait'
git config --global pull.rebase true
git config --global init.defaultBranch main
git push -u origin feature
git push --dry-run --force
git push -n -f origin feature
git push --force-with-lease origin feature
git clean -nfd
git clean --dry-run -xdf
git rm -n file
git fetch --prune --dry-run
git clone --depth 1 https://github.com/a/b
git rebase -i HEAD~3
git rebase -x 'npm test' main
git bisect run npm test
git submodule foreach 'git status'
git submodule update --init --recursive
git difftool -y -x 'code --wait --diff'
git grep -n 'rm -rf' src
git commit -m 'git push --force is bad'
git stash push -m wip
git worktree add ../feature feature
GIT_PAGER=cat git diff
GIT_EDITOR=true git rebase --continue
GIT_SEQUENCE_EDITOR=: git rebase -i HEAD~2
GIT_SSH_COMMAND='ssh -i ~/.ssh/deploy -o IdentitiesOnly=yes' git fetch
PAGER=cat git log
EDITOR=vim crontab -l
NODE_OPTIONS=--max-old-space-size=4096 npm run build
NODE_OPTIONS='--experimental-vm-modules' npx jest
PYTHONPATH=src pytest
PATH="$PATH:/opt/tool/bin" tool
PATH="$HOME/.local/bin:$PATH" tool
export PATH="$PWD/node_modules/.bin:$PATH"
export PATH=$HOME/.cargo/bin:$PATH
ENV=production npm start
CC=clang make
MAKEFLAGS=-j4 make
GOFLAGS=-mod=mod go build
RUST_BACKTRACE=1 cargo test
npm_config_loglevel=error npm test
eval "$(fnm env)"
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
eval "$(pyenv init -)"
eval "$(/opt/homebrew/bin/brew shellenv)"
source <(kubectl completion bash)
lsof -ti:3000 | xargs kill
lsof -ti:3000 | xargs kill -9
kill -9 $(lsof -t -i:3000)
kill $!
npx kill-port 3000
fuser -k 3000/tcp
xargs -n1 echo
find . -name '*.ts' -exec wc -l {} +
tar -czf dist.tgz dist
tar xzf x.tgz -C out
sort -u x
vim -c ':set number' notes.md
ansible all -m ping
ansible web -a uptime
salt '*' test.ping
systemd-run --user --scope npm test
at -l
crontab -l
op run -- npm start
aws-vault exec dev -- aws s3 ls
direnv exec . npm test
nix develop -c cargo test
nix-shell --run 'make test'
conda run -n env python x.py
xcrun simctl list
adb shell getprop
adb devices
fly ssh console
fly logs
railway run npm test
wsl --list
`),
	)("%s", (command) => {
		expect(decided(command)).toBe("allow");
	});
});
