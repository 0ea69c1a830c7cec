// Commands that publish, and their dry runs.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../../src/policy/decide.ts";

function fired(command: string) {
	const { decision, factors } = decide(
		{ action: "Change something", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	);
	return { decision, factors: factors.flatMap(({ id, triggered }) => (triggered ? [id] : [])) };
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe("a command that may publish", () => {
	it.each(
		lines(`
npm publish
npm publish --access public
npm -w packages/a publish
npm dist-tag add a@1 latest
pnpm publish
pnpm -r publish --no-git-checks
pnpm --filter a publish
yarn publish
yarn npm publish
yarn workspace a npm publish
yarn workspaces foreach -A npm publish
bun publish
npx lerna publish
lerna version
npx changeset publish
pnpm changeset publish
npx @changesets/cli publish
npx semantic-release
npx release-it
npx np
npx jsr publish
npx gh-pages -d dist
npx vsce publish
npx @vscode/vsce publish minor
npx ovsx publish x.vsix
npx wrangler deploy
npx vercel --prod
vercel
vercel deploy --prod
netlify deploy --prod
npx clasp push
npx eas submit -p ios
npx eas build --auto-submit
fastlane ios release
bundle exec fastlane deliver
cargo publish
cargo release --execute
twine upload dist/*
python -m twine upload dist/*
python3 setup.py sdist upload
python setup.py bdist_wheel upload -r pypi
poetry publish --build
uv publish
flit publish
hatch publish
maturin publish
gem push a.gem
bundle exec rake release
mvn deploy
mvn -B clean deploy
mvn release:perform
./gradlew publish
./gradlew :lib:publishToMavenCentral
gradle publishAllPublicationsToX
sbt publishSigned
lein deploy clojars
dotnet nuget push a.nupkg
nuget push a.nupkg
choco push
flutter pub publish
dart pub publish
mix hex.publish
cabal upload x
stack upload .
luarocks upload x
pod trunk push
conan upload x
docker push a/b
docker buildx build --push -t a/b .
docker compose push
podman push a/b
skopeo copy docker://a docker://b
crane push x.tar a/b
oras push a/b x
helm push a.tgz oci://x
ko apply -f x
goreleaser release
goreleaser
snapcraft upload x.snap
gh release create v1
gh release upload v1 x
glab release create v1
huggingface-cli upload a b
ollama push a/b
kaggle datasets create -p .
mkdocs gh-deploy
quarto publish gh-pages
npm run deploy
npm run release:prod
pnpm run publish-all
yarn deploy
make deploy
just release
rake deploy
cap production deploy
kamal deploy
nx release
turbo run deploy
git push heroku main
electron-builder --publish always
`),
	)("is asked about as a deployment: %s", (command) => {
		expect(fired(command).factors).toContain("deploy_action");
	});

	it.each(
		lines(`
npm unpublish a
yarn npm unpublish a
cargo yank --version 1.0.0 a
gem yank a -v 1
`),
	)("is denied where it withdraws what others use: %s", (command) => {
		expect(fired(command).decision).toBe("deny");
	});

	it.each(
		lines(`
npm publish --dry-run
pnpm publish --dry-run
npx semantic-release --dry-run
cargo publish --dry-run
poetry publish --dry-run
goreleaser release --snapshot
goreleaser check
goreleaser build --snapshot
npm pack
npm version patch
npm run publish-docs-check --help
npm run build
npm test publish
yarn build
yarn add release-it
npm install semantic-release
pnpm add -D np
npx changeset
npx changeset add
npx changeset version
cargo package
twine check dist/*
python setup.py sdist bdist_wheel
poetry build
uv build
mvn package
mvn install
./gradlew build
./gradlew publishToMavenLocal
gem build x.gemspec
docker build -t a/b .
docker compose build
docker pull a/b
helm package chart
gh release list
gh pr create --fill
gh pr view 1
make -n deploy
make release-notes-check --dry-run
echo npm publish
grep -rn 'npm publish' .github
git commit -m 'npm publish in CI'
git push origin main
lerna run build
nx build app
turbo run build
fastlane lanes
`),
	)("is allowed where it publishes nothing: %s", (command) => {
		expect(fired(command).decision).toBe("allow");
	});
});
