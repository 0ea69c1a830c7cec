// Commands that print stored secrets, open something to others or send files away ask, and the reason names the danger. What only
// names secrets, and a day's work beside them, does not ask.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../../src/policy/decide.ts";

const check = (command: string) =>
	decide(
		{ action: "Run", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	);

/** They print the values of stored secrets. */
const PRINTING: readonly string[] = [
	"kubectl get secret db -o yaml",
	"kubectl get secrets -ojson",
	"kubectl -n prod get secret/db --output=jsonpath='{.data.password}'",
	"oc get secret db --template='{{.data.key}}'",
	"aws secretsmanager get-secret-value --secret-id prod/db",
	"aws --profile prod secretsmanager batch-get-secret-value --secret-id-list a",
	"aws ssm get-parameter --name /prod/db --with-decryption",
	"aws ssm get-parameters --names a b --with-decryption",
	"aws ssm get-parameters-by-path --path /prod --with-decryption",
	"vault kv get -field=password secret/db",
	"vault read database/creds/app",
	"gcloud secrets versions access latest --secret=db",
	"az keyvault secret show --vault-name v --name n",
	"az keyvault secret download --vault-name v --name n -f x",
	"docker inspect -f '{{.Config.Env}}' web",
	"docker inspect --format='{{json .Config}}' web",
	"docker container inspect -f '{{range .Config.Env}}{{println .}}{{end}}' web",
	"heroku config -a shop",
	"heroku config:get DATABASE_URL",
	"terraform output -json",
	"terraform output -raw db_password",
	"tofu output db_password",
	"terraform state pull",
	"op read op://vault/item/password",
	"op item get GitHub --fields password",
	"pass show mail",
	"pass mail/work",
	"bw get password github",
	"doppler secrets get KEY --plain",
	"chamber read shop key",
	"sops -d secrets.enc.yaml",
	"sops decrypt secrets.enc.yaml",
	"security find-generic-password -s shop -w",
	"keyring get shop ann",
	"scw secret version access x revision=1",
	"firebase functions:secrets:access KEY",
	"aliyun kms GetSecretValue --SecretName x",
	"kubectl get -n prod secret/db -ojson",
	"kubectl get -o yaml secret db",
	"kubectl get --namespace prod -o json secrets",
	"kubectl get pods,secrets -o yaml",
	"kubectl get secret.v1/db -o yaml",
	"kubectl get --raw /api/v1/namespaces/prod/secrets/db",
	"kubectl get secret db -o jsonpath='{.metadata.name}{.data.key}'",
	"kubectl get secrets -o custom-columns=N:.metadata.name,V:.data",
	"kubectl get secret db -o go-template='{{.}}'",
	"kubectl view-secret db",
	"minikube kubectl -- get secret db -o yaml",
	"microk8s kubectl get secret db -o yaml",
	"sudo k3s kubectl get secret -n prod db -o yaml",
	"docker inspect web | jq '.[0].Config.Env'",
	"docker inspect web | grep -i env",
	"docker container inspect web | grep -A20 '\"Env\"'",
	"oc extract secret/db --to=-",
	"kubectl config view --raw",
	"terraform show -json",
	"terraform show -json plan.out",
	"docker inspect --format json web",
	"az webapp config appsettings list -n web -g shop",
	"az storage account keys list -n shop",
	"netlify env:list --plain",
	"railway variables",
	"netlify env:get KEY",
	"heroku config:get DATABASE_URL --app shop",
	"heroku -a my-host config",
];

/** They name secrets, describe them, or ask for something else. */
const NAMING: readonly string[] = [
	"kubectl get secret",
	"kubectl get secrets -n prod",
	"kubectl get secret db -o name",
	"kubectl get secrets -o wide",
	"kubectl get pods -o yaml",
	"kubectl describe secret db",
	"aws secretsmanager list-secrets",
	"aws secretsmanager describe-secret --secret-id x",
	"aws ssm get-parameter --name /shop/url",
	"aws ssm describe-parameters",
	"vault kv list secret/",
	"vault kv metadata get secret/db",
	"vault status",
	"gcloud secrets list",
	"gcloud secrets describe db",
	"az keyvault secret list --vault-name v",
	"docker inspect web",
	"docker inspect -f '{{.State.Status}}' web",
	"docker inspect --format '{{.NetworkSettings.IPAddress}}' web",
	"docker image inspect -f '{{.Id}}' node:24",
	"docker secret ls",
	"heroku config:get NODE_ENV",
	"terraform output",
	"terraform output -raw vpc_id",
	"terraform output cluster_name",
	"gh secret list",
	"wrangler secret list",
	"fly secrets list",
	"doppler secrets --only-names",
	"doppler run -- npm start",
	"chamber list shop",
	"pass ls",
	"op item list",
	"kubectl get secret db -o jsonpath='{.metadata.name}'",
	"kubectl get secret db -o jsonpath='{.type}'",
	"kubectl get secrets -o custom-columns=NAME:.metadata.name",
	"kubectl get -n secrets pods -o yaml",
	"kubectl get pods -n prod -o jsonpath='{.items[*].metadata.name}' secret-reader",
	"kubectl get sealedsecrets,externalsecrets -o yaml",
	"minikube kubectl -- get pods",
	"k3s kubectl get secret",
	"docker inspect web | jq '.[0].State.Status'",
	"docker inspect web | grep -i status",
	"docker logs web | grep Environment",
	"docker image inspect node:24 | jq '.[0].Config.Env'",
	"docker inspect --type=image node:24 | jq '.[0].Config.Env'",
	"kubectl config view",
	"kubectl config view --minify",
	"az keyvault show -n shop",
	"aws secretsmanager get-secret-value help",
	"heroku config:get NODE_ENV -a shop",
	"heroku config:get NODE_ENV --app shop",
	"terraform show",
	"terraform show plan.out",
	"gh auth status",
	"netlify env:list",
	"railway variables --set A=b",
];

describe("printing stored secrets", () => {
	it.each(PRINTING)("asks: %s", (command) => {
		expect(check(command)).toMatchObject({ decision: "confirm", reason: expect.stringMatching(/prints /) });
	});

	it.each(NAMING)("is not what %s does", (command) => {
		expect(check(command).decision).toBe("allow");
	});
});

describe("a forced push with a lease", () => {
	it.each([
		"git push --force-with-lease origin main",
		"git push --force-with-lease=main:abc1 origin main",
		"git push --force-with-lease origin HEAD:master",
		"git push --force-if-includes --force-with-lease origin refs/heads/release/1.2",
		"git -C shop push origin topic:production --force-with-lease",
		"git push --force-with-lease --all",
		"git push --branches --force-with-lease origin",
		"git push --force-with-lease origin 'refs/heads/*'",
		"git push --force-with-lease origin refs/heads/*:refs/heads/*",
	])("asks for a branch that others build on, and is not suggested for it: %s", (command) => {
		const { decision, reason } = check(command);
		expect([decision, reason]).toEqual(["confirm", expect.stringContaining("a branch that others build on")]);
		expect(check(command.replaceAll(/--force-[a-z-]+(?:=\S+)?/g, "--force")).reason).not.toContain("with-lease");
	});

	it.each(["git push --force-with-lease", "git push --force-with-lease origin topic", "git push origin main"])(
		"does not otherwise: %s",
		(command) => {
			expect(check(command).decision).toBe("allow");
		},
	);
});

describe("a file that is sent to another host", () => {
	it.each([
		"scp dist.tgz dev:/tmp/",
		"scp -r -P 2222 build ann@10.0.0.5:",
		"rsync -av dist/ ann@web.example.com:/srv/",
		"rsync -a dist/ rsync://web/module",
		"rsync -a dist/ web::module",
		"ssh web 'cat > /tmp/x' < report.txt",
		"tar cz . | ssh web 'tar xz -C /srv'",
		"cat report.txt | ssh ann@web tee /tmp/x",
		"pg_dump shop | ssh web 'psql shop'",
		"scp -3 db:/srv/a web:/srv/b",
		"pscp dist.tgz web:/tmp/",
		"sftp web <<< 'put report.txt'",
		"sftp web <<'END'\ncd /srv\nput -r dist\nEND",
		"echo 'put report.txt' | sftp ann@web",
		"sftp -b steps.txt web",
	])("asks: %s", (command) => {
		expect(check(command)).toMatchObject({ decision: "confirm", reason: expect.stringContaining("another host") });
	});

	it.each([
		"scp dev:/tmp/log.txt .",
		"scp report.txt localhost:/tmp/",
		"rsync -av src/ dst/",
		"rsync -a web:/srv/log/ log/",
		"rsync -an dist/ web:/srv/",
		"ssh web uptime",
		"ssh web 'tail -n 100 /var/log/app.log' > app.log",
		"for h in a b; do ssh $h uptime; done",
		"sftp web:/srv/log.txt .",
		"sftp web <<< 'get report.txt'",
		"echo ls | sftp web",
	])("is none: %s", (command) => {
		expect(check(command).decision).toBe("allow");
	});
});

describe("the credentials of a machine in a cloud", () => {
	it.each([
		"curl http://169.254.169.254/latest/meta-data/iam/security-credentials/",
		"curl -s -H 'Metadata-Flavor: Google' 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token'",
		"wget -qO- 169.254.169.254/latest/user-data",
		"http GET http://100.100.100.200/latest/meta-data/ram/security-credentials/",
		"curl http://169.254.170.2$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	])("ask: %s", (command) => {
		expect(check(command)).toMatchObject({ decision: "confirm", reason: expect.stringContaining("its credentials") });
	});

	it.each(["curl http://169.254.169.25/", "curl https://example.com/169.254.169.254", "grep -r 169.254.169.254 src"])(
		"are not asked for by: %s",
		(command) => {
			expect(check(command).decision).toBe("allow");
		},
	);
});

describe("a copy from a platform to this machine", () => {
	it.each([
		"aws s3 cp s3://shop/report.csv . --no-progress",
		"aws s3 cp --recursive s3://shop/reports ./reports --quiet",
		"aws s3 cp s3://shop/report.csv out.csv --sse-c AES256",
		"gsutil -m cp -r gs://shop/reports reports",
	])("asks nobody: %s", (command) => {
		expect(check(command).decision).toBe("allow");
	});

	it.each([
		"aws s3 cp report.csv s3://shop/ --no-progress",
		"aws s3 cp report.csv s3://shop/ --storage-class STANDARD_IA",
		"aws s3 cp s3://shop/a s3://other/a --quiet",
	])("is none: %s", (command) => {
		expect(check(command).decision).toBe("confirm");
	});
});

describe("the reason of a change on a platform", () => {
	it.each([
		[
			"aws iam attach-role-policy --role-name r --policy-arn arn:aws:iam::aws:policy/AdministratorAccess",
			"attaches a policy",
		],
		["aws iam put-user-policy --user-name u --policy-name p --policy-document file://p.json", "attaches a policy"],
		["gcloud projects add-iam-policy-binding p --member user:x --role roles/owner", "who may do what"],
		["az role assignment create --assignee x --role Owner", "who may do what"],
		["kubectl create clusterrolebinding x --clusterrole cluster-admin --user u", "who may do what"],
		[
			"aws ec2 authorize-security-group-ingress --group-id sg-1 --port 22 --cidr 0.0.0.0/0",
			"opens a port to every address",
		],
		[
			"gcloud compute firewall-rules create a --allow tcp:22 --source-ranges=0.0.0.0/0",
			"opens a port to every address",
		],
		[
			"az network nsg rule create -g g --nsg-name n --name a --source-address-prefixes '*'",
			"opens a port to every address",
		],
		["aws ec2 authorize-security-group-ingress --group-id sg-1 --port 22 --cidr 10.0.0.0/8", "over the network"],
		["gh repo edit --visibility public", "makes a repository public"],
		["gh repo create a/b --public", "makes a repository public"],
		["aws s3api put-bucket-acl --bucket b --acl public-read", "opens something to everybody"],
		["aws iam create-access-key --user-name x", "makes or replaces a credential"],
		["gh secret set KEY --body x", "makes or replaces a credential"],
		["aws route53 change-resource-record-sets --hosted-zone-id z --change-batch file://x.json", "where a name leads"],
		["aws ec2 run-instances --image-id x", "costs money"],
		["gh workflow run deploy.yml", "with rights of its own"],
		["aws s3 cp report.csv s3://shop/", "remote store"],
		["aws s3 cp report.csv s3://shop/ --sse AES256", "remote store"],
		["aws s3 cp report.csv s3://shop/ --acl public-read", "opens something to everybody"],
		["gsutil iam ch allUsers:objectViewer gs://shop", "opens something to everybody"],
		["gh api -X PATCH repos/a/b -f visibility=public", "makes a repository public"],
		["gh api -X PATCH repos/a/b -F private=false", "makes a repository public"],
		["gh api -X PUT repos/a/b/collaborators/eve -f permission=admin", "who may do what"],
		["gcloud run deploy web --allow-unauthenticated", "opens something to everybody"],
		["gcloud run services add-iam-policy-binding web --member=allUsers --role=roles/run.invoker", "to everybody"],
		["aws lambda add-permission --function-name f --principal '*' --statement-id s", "opens something to everybody"],
		[
			"doctl compute firewall add-rules x --inbound-rules protocol:tcp,ports:22,address:0.0.0.0/0",
			"opens a port to every address",
		],
		[
			"aws s3api put-public-access-block --bucket b --public-access-block-configuration BlockPublicAcls=false",
			"what is open to everybody",
		],
		["heroku config:set KEY=Sesame", "changes the settings"],
		["az webapp config appsettings set -n web --settings A=b", "changes the settings"],
		["kubectl expose deploy web --type=LoadBalancer --port=80", "over the network"],
		["heroku access:add eve@example.com", "who may do what"],
		["aws iam add-user-to-group --user-name u --group-name admins", "who may do what"],
		["gcloud iam service-accounts keys create k.json --iam-account x", "makes or replaces a credential"],
	])("names the danger: %s", (command, danger) => {
		expect(check(command)).toMatchObject({ decision: "confirm", reason: expect.stringContaining(danger) });
	});
});
