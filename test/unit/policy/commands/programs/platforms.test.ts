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
gh run rerun 123
gh run download 123
gh pr status
gh gist list
gh label list
gh project list
gh codespace list
gh browse
gh release view v1
gh release download v1
gh pr edit 3 --add-label bug
gh variable list
gh cache list
gh ruleset list
gh org list
gh config get editor
gh workflow view ci
kubectl config view
kubectl kustomize overlays/dev
kubectl cp web:/app/log.txt ./log.txt
kubectl cluster-info dump
kubectl create deployment x --image=y --dry-run=client -o yaml
kubectl version --client
kubectl completion bash
kubectl krew list
kubectl alpha events
kubectl events
kubectl logs -f deploy/web
kubectl -n kube-system get pods
kubectl --context dev get nodes
k get po
oc whoami
oc project dev
oc login https://x
oc status
oc logs dc/x
helm show values b/x
helm pull b/x
helm package ./chart
helm search repo x
helm status web
helm env
helm version
helm test web
helm create mychart
helm verify x
helm dep up
helm diff upgrade web ./chart
helmfile diff
helmfile template
helmfile lint
argocd version
argocd login x
argocd app manifests web
argocd cluster list
argocd app history x
argocd app wait web
flux check
flux tree ks x
flux diff ks x
terraform state show aws_x.y
terraform console
terraform test
terraform login
terraform version
terraform get -update
terraform workspace select dev
terraform workspace new dev
terraform init -upgrade
terraform plan -destroy
terraform providers lock
terraform -chdir=infra plan
terraform -chdir=infra init
tofu init
terragrunt plan
terragrunt hclfmt
terragrunt validate
pulumi stack output
pulumi stack select dev
pulumi logs
pulumi about
pulumi config set a b
pulumi login
pulumi stack init dev
cdk init app
cdk doctor
cdk list
cdk synth --all
cdk watch
sam init
sam logs -n f
sam local start-api
sam list endpoints
aws s3api list-buckets
aws s3api head-object --bucket b --key k
aws s3api get-object --bucket b --key k out
aws s3 presign s3://b/k
aws s3 sync s3://b ./data
aws logs get-log-events --log-group-name x --log-stream-name y
aws logs start-query --log-group-name x
aws cloudwatch get-metric-statistics
aws iam simulate-principal-policy
aws ecr describe-images --repository-name x
aws ssm get-parameters-by-path --path /x
aws rds wait db-instance-available --db-instance-identifier x
aws ec2 wait instance-running
aws athena get-query-results
aws athena start-query-execution --query-string 'select 1'
aws cloudformation validate-template --template-body file://t.yml
aws cloudformation estimate-template-cost
aws --profile dev --region eu-west-1 ec2 describe-vpcs
aws ec2 run-instances --dry-run
aws ec2 terminate-instances --instance-ids i --dry-run
aws codepipeline get-pipeline-state
aws kms list-keys
aws dynamodb query --table-name t
aws dynamodb get-item --table-name t --key x
aws sqs receive-message --queue-url x
aws sqs get-queue-attributes --queue-url x
aws s3 rm s3://b/k --dryrun
aws lambda get-function --function-name x
gcloud config list
gcloud config get-value project
gcloud compute regions list
gcloud container clusters list
gcloud container clusters get-credentials x
gcloud secrets list
gcloud secrets versions list x
gcloud functions logs read
gcloud app logs tail
gcloud app browse
gcloud iam service-accounts list
gcloud info
gcloud components list
gcloud builds list
gcloud sql instances list
gcloud projects describe p
gcloud run services list
gcloud run revisions list
gcloud auth application-default login
gcloud beta run services list
gsutil ls gs://b
gsutil cp gs://b/x .
gsutil du -s gs://b
gsutil cat gs://b/x
gsutil -m cp -r gs://b/x .
gsutil stat gs://b/x
gcloud storage ls
az aks get-credentials -g g -n n
az acr login -n r
az acr repository list -n r
az deployment group what-if -g g -f x
az monitor metrics list
az bicep build -f main.bicep
az storage blob list -c x
az ad signed-in-user show
az webapp list-runtimes
az --version
az pipelines runs list
az devops project list
az keyvault secret list --vault-name v
doctl auth init
doctl account get
doctl kubernetes cluster kubeconfig save x
doctl registry login
heroku apps
heroku apps:info
heroku addons
heroku releases
heroku pg:info
heroku login
heroku local
heroku domains
heroku pg:backups
heroku auth:whoami
fly m list
fly machine list
fly secrets list
fly scale show
fly proxy 5432
fly config validate
fly checks list
fly volumes list
fly ips list
fly doctor
fly wireguard list
vercel whoami
vercel inspect url
vercel env pull
vercel link
vercel build
vercel domains ls
vercel teams ls
netlify build
netlify sites:list
netlify env:list
netlify login
netlify link
netlify open
netlify functions:list
railway list
railway run npm start
railway whoami
railway link
supabase db pull
supabase migration new x
supabase migration list
supabase db lint
supabase functions serve
supabase login
supabase init
supabase link --project-ref x
supabase db dump
supabase test db
supabase projects list
supabase secrets list
firebase use dev
firebase serve
firebase login
firebase functions:log
firebase emulators:exec 'npm test'
firebase apps:list
firebase init
wrangler pages dev dist
wrangler pages project list
wrangler d1 list
wrangler d1 info db
wrangler d1 migrations list db
wrangler d1 migrations apply db --local
wrangler d1 migrations create db x
wrangler r2 bucket list
wrangler kv namespace list
wrangler secret list
wrangler deployments list
wrangler login
wrangler init x
wrangler check startup
wrangler versions list
wrangler queues list
wrangler vectorize list
stripe login
stripe products list
stripe events list
stripe trigger payment_intent.succeeded
stripe open
stripe fixtures x.json
vault login
vault token lookup
vault policy list
vault policy read x
vault secrets list
vault server -dev
vault kv metadata get x
vault audit list
consul catalog services
consul monitor
consul validate x
consul agent -dev
nomad node status
nomad alloc logs x
nomad job plan x.nomad
nomad agent -dev
nomad validate x
nomad fmt
op item list
doppler configs
doppler projects
doppler me
doppler setup
infisical run -- npm start
chamber list x
chamber exec x -- npm start
circleci local execute
circleci config process .circleci/config.yml
sentry-cli releases list
sentry-cli login
datadog-ci version
promtool check rules x
newrelic entity search
pd incident list
temporal server start-dev
temporal workflow list
temporal workflow describe -w x
atlas clusters list
atlas auth login
eksctl utils describe-stacks --cluster x
eksctl get nodegroup --cluster x
kops get cluster
kops export kubecfg
kops toolbox dump
minikube kubectl -- get pods
istioctl version
istioctl proxy-status
linkerd viz stat deploy
linkerd viz dashboard
velero get backups
velero backup describe x
velero schedule get
rancher ps
rancher kubectl get pods
twilio login
twilio phone-numbers:list
twilio profiles:list
auth0 login
auth0 logs tail
auth0 test login
okta login
ansible-galaxy collection install x
ansible-galaxy init role
ansible-galaxy list
tailscale status
tailscale ip
tailscale ping x
eas build:list
eas whoami
eas init
shopify theme dev
shopify app dev
shopify theme list
sf org list
sf org display
sf project generate
sf apex run test
convex dev
convex logs
sanity dev
databricks clusters list
databricks fs ls dbfs:/
databricks jobs list
databricks bundle validate
influx ping
hasura console
hasura migrate status
hasura metadata diff
confluent kafka topic list
rpk topic list
rpk cluster info
pulsar-admin topics list public/default
meilisearch --version
algolia indices list
curator --dry-run x
huggingface-cli download x
huggingface-cli whoami
huggingface-cli scan-cache
celery -A app inspect active
celery -A app worker
nodetool info
etcdctl endpoint health
etcdctl snapshot save x.db
etcdctl snapshot status x.db
etcdctl watch /x
kong config parse x
kong check
kong version
splunk status
openstack server list
openstack image show x
ibmcloud target
ibmcloud ks cluster ls
oci os bucket list
oci iam user list
scw instance server list
exo compute instance list
vultr-cli instance list
s3cmd ls
s3cmd get s3://b/x
s3cmd du s3://b
s5cmd ls
s5cmd cp s3://b/x .
mc ls x
mc cat x/y
mc cp play/b/x .
mc diff a b
mc stat a
mc alias list
amplify status
amplify pull
eb status
eb logs
eb list
eb health
copilot svc logs
copilot app ls
copilot svc status
cf apps
cf logs web --recent
cf target
cf app web
dokku apps:list
dokku logs web
convox apps
convox logs
sst dev
sst version
serverless print
serverless invoke local -f f
serverless logs -f f
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
gcloud projects list
gcloud compute instances list
gcloud compute instances describe delete
gcloud logging read 'severity>=ERROR' --limit 10
gcloud run services describe web
gcloud builds log 123
az account show
az group list -o table
az vm show -g g -n v
az webapp log tail -n a -g g
doctl compute droplet list
doctl apps logs 123
linode-cli linodes list
hcloud server list
heroku logs --tail -a app
heroku ps -a app
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

	it("is asked about where a name in it reads like a verb that only looks", () => {
		expect(decision("vercel deploy list")).toBe("confirm");
		expect(decision("aws config put-configuration-recorder --name list")).toBe("confirm");
		expect(decision("az webapp config set --name show")).toBe("confirm");
	});

	it("is not allowed only because it has many groups", () => {
		expect(decision("doctl a b c d e f delete")).not.toBe("allow");
	});
});
