// Command lines of remote platforms, judged by verb.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../../src/policy/decide.ts";

const decision = (command: string) =>
	decide(
		{ action: "Run", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	).decision;

const lines = (text: string) => text.trim().split("\n");

/** They take away what a platform keeps. */
const DESTROYING = `
linode-cli images delete private/1
gcloud compute images delete img
gcloud compute snapshots delete s
doctl compute snapshot delete 1
az image delete -n i -g g
az group delete -n g --yes
az snapshot delete -n s
gcloud compute instances reset vm
heroku pg:reset DATABASE -a app
heroku access:remove x@y
fly apps destroy web
vercel env rm X production
netlify sites:delete x
supabase db reset --linked
supabase projects delete x
supabase functions delete f
firebase firestore:delete --all-collections
wrangler kv key delete K --binding B
wrangler d1 delete db
wrangler d1 execute db --remote --command 'DROP TABLE t'
wrangler r2 bucket delete b
gh repo delete a/b --yes
gh api -X DELETE repos/a/b
gh api --method=DELETE repos/a/b
gh release delete v1
glab repo delete a/b
terraform destroy -auto-approve
terraform state rm x
terraform workspace delete prod
pulumi destroy
pulumi stack rm prod
cdk destroy
sam delete
sls remove
kubectl delete ns prod
oc delete project x
helm uninstall x
helm rollback x 1
argocd app delete web
flux uninstall
eksctl delete cluster x
nomad job stop web
consul kv delete -recurse a
vault kv delete secret/x
vault operator seal
vault secrets disable kv
stripe customers delete cus_1
okta apps delete x
auth0 apps delete x
sentry-cli projects delete x
ansible-galaxy role delete a b
rancher cluster delete c
docker volume rm x
docker system prune -af --volumes
turso db destroy x
turso db shell db 'DROP TABLE t'
pscale branch delete db b
neonctl projects delete x
scw instance server delete x
oci compute instance terminate --instance-id x
vultr-cli instance delete x
aliyun ecs DeleteInstance --InstanceId i
openstack server delete x
`;

/** They change something on a platform, or nobody knows what they do there. */
const CHANGING = `
aws ec2 run-instances --image-id a
aws s3 mb s3://b
aws s3 cp dist s3://b --recursive
aws s3 sync dist s3://b
aws iam create-access-key --user-name x
aws iam attach-user-policy --user-name x --policy-arn y
aws lambda invoke --function-name f out.json
aws lambda update-function-code --function-name f --zip-file fileb://f.zip
aws ssm send-command --document-name x
aws route53 change-resource-record-sets --hosted-zone-id Z --change-batch file://c.json
aws rds reboot-db-instance --db-instance-identifier d
aws frobnicate zap
gcloud projects add-iam-policy-binding p --member=x --role=owner
gcloud compute instances create vm
gcloud run deploy web --image x
gcloud app deploy --version v2
az vm create -n v -g g
az role assignment create --assignee x
az keyvault secret set --vault-name v -n s --value x
az ad sp create-for-rbac
doctl compute droplet create x
hcloud server create --name x
hcloud server poweroff x
heroku config:set X=1 -a app
heroku ps:scale web=0 -a app
heroku maintenance:on -a app
fly scale count 0
fly secrets set A=b
fly deploy
vercel --prod
vercel deploy
vercel rollback
netlify deploy --prod
railway up
railway down
render deploys create srv-1
supabase db push
firebase deploy
wrangler deploy
wrangler secret put X
gh repo create a/b --public
gh repo edit --visibility public
gh secret set X -b y
gh workflow run x.yml
gh pr merge 3 --admin
gh api repos/a/b/issues -f title=x
gh api graphql -f query='mutation { deleteIssue(input:{}) { id } }'
gh ssh-key add k.pub
glab variable set X y
terraform apply -auto-approve
terraform state mv a b
terraform state push s.tfstate
terraform import a b
tofu apply
pulumi up -y
cdk deploy
sam deploy
serverless deploy
kubectl run x --image=y
kubectl label ns prod x=y
kubectl cp x pod:/y
kubectl taint nodes n k=v:NoSchedule
kubectl create clusterrolebinding x --clusterrole=cluster-admin
kubectl scale deploy/web --replicas=0
kubectl rollout undo deploy/web
kubectl frobnicate x
oc adm policy add-cluster-role-to-user cluster-admin x
helm install x y
argocd app sync web
flux suspend kustomization x
eksctl create cluster
kops update cluster --yes
nomad run job.hcl
consul kv put a b
vault kv put secret/x a=b
vault policy write p p.hcl
vault token create
stripe refunds create --charge ch_1
stripe post /v1/charges
twilio phone-numbers:update x
twilio api:core:messages:create --to x
auth0 users create
sentry-cli releases new x
datadog-ci lambda instrument
ibmcloud resource service-instance-delete x
`;

/** They look, or stay on this machine. */
const HARMLESS = `
aws s3 ls s3://b
aws s3 cp s3://b/x.json .
aws sts get-caller-identity
aws ec2 describe-instances --filters Name=tag:env,Values=prod
aws logs tail /aws/lambda/web --since 1h
aws logs filter-log-events --log-group-name g
aws dynamodb scan --table-name t
aws configure list
aws sso login
aws --version
aws help
aws eks update-kubeconfig --name c
aws cloudformation describe-stacks
aws ecr get-login-password
aws lambda list-functions --region eu-west-1
gcloud auth list
gcloud config set project p
gcloud projects list
gcloud compute instances list
gcloud compute instances describe delete
gcloud logging read 'severity>=ERROR' --limit 10
gcloud run services describe web
gcloud builds log 123
az account show
az account set -s x
az group list -o table
az vm show -g g -n v
az webapp log tail -n a -g g
doctl compute droplet list
doctl apps logs 123
linode-cli linodes list
hcloud server list
heroku logs --tail -a app
heroku ps -a app
heroku config -a app
heroku config:get X -a app
fly status
fly logs -a web
flyctl apps list
vercel dev
vercel ls
vercel env ls
vercel logs url
netlify status
netlify dev
railway status
railway logs
supabase status
supabase start
supabase db diff
supabase gen types typescript --local
firebase emulators:start
firebase projects:list
wrangler dev
wrangler tail
wrangler whoami
wrangler types
wrangler kv key get K --binding B
wrangler d1 execute db --local --command 'SELECT 1'
wrangler d1 execute db --remote --command 'SELECT * FROM t'
wrangler deploy --dry-run
gh pr list
gh pr diff 3
gh pr create --title x --body y
gh pr checkout 12
gh pr comment 3 --body ok
gh issue create -t x -b y
gh issue view 3
gh run list
gh run watch 12
gh auth status
gh repo clone a/b
gh repo view
gh api repos/a/b/pulls
gh api graphql -f query='query { viewer { login } }'
gh search code 'delete from'
gh release list
gh workflow list
gh secret list
glab mr list
glab mr view 3
terraform init
terraform plan
terraform validate
terraform fmt
terraform show
terraform output -json
terraform state list
terraform workspace list
terraform providers
terraform graph
tofu plan
pulumi preview
pulumi stack ls
pulumi config get x
pulumi whoami
cdk diff
cdk synth
cdk ls
sam build
sam local invoke Fn
sam validate
serverless offline
serverless info
sls package
kubectl get pods -A
kubectl config current-context
kubectl config use-context dev
kubectl port-forward svc/web 8080:80
kubectl top nodes
kubectl auth can-i delete pods
kubectl diff -f x.yaml
kubectl explain pod.spec
kubectl rollout status deploy/web
kubectl rollout history deploy/web
kubectl exec web -- ls /app
kubectl apply --dry-run=server -f x.yaml
kubectl api-resources
kubectl wait --for=condition=ready pod/x
oc get pods
helm list
helm lint ./chart
helm repo add b https://x
helm repo update
helm dependency build
helm get values web
helm history web
helm upgrade web ./chart --dry-run
argocd app list
argocd app get web
argocd app diff web
flux get all
flux logs
eksctl get cluster
kops validate cluster
nomad status
nomad job status web
nomad plan job.hcl
consul members
consul kv get x
vault status
vault kv get secret/x
vault kv list secret/
vault read sys/health
stripe listen --forward-to localhost:3000/hook
stripe customers list
stripe logs tail
twilio api:core:messages:list
okta apps list
auth0 apps list
sentry-cli info
sentry-cli releases list
datadog-ci version
doppler run -- npm start
circleci config validate
argo lint wf.yaml
istioctl analyze
linkerd check
minikube start
kind create cluster
docker compose up -d
docker build .
docker exec -it db psql -c 'select 1'
prisma migrate dev
prisma generate
npx wrangler dev
npx prisma db push
split -l 100 big.txt
ansible-galaxy install -r requirements.yml
velero backup get
turso db list
turso db shell db 'SELECT 1'
pscale branch list db
neonctl branches list
`;

describe("a command line of a platform", () => {
	it.each(lines(DESTROYING))("is denied: %s", (command) => {
		expect(decision(command)).toBe("deny");
	});

	it.each(lines(CHANGING))("is asked about: %s", (command) => {
		expect(["confirm", "approve"]).toContain(decision(command));
	});

	it.each(lines(HARMLESS))("is allowed: %s", (command) => {
		expect(decision(command)).toBe("allow");
	});

	it("asks where a name stands for the verb", () => {
		expect(decision("vercel deploy list")).toBe("confirm");
		expect(decision("aws config put-configuration-recorder --name list")).toBe("confirm");
		expect(decision("az webapp config set --name show")).toBe("confirm");
	});

	it("does not take a long line of groups for a reading one", () => {
		expect(decision("doctl a b c d e f delete")).not.toBe("allow");
	});
});
