// What scripts do that join, decode or rename what they call and run.
import { describe, expect, it } from "vitest";
import { findCallEffects } from "../../../../../src/policy/commands/programs/code-calls.ts";
import { testDecisions } from "../../../../support/decided-commands.ts";

const DENIED = [
	"elixir -e 'File.rm_rf(System.user_home!())'",
	'node -e \'const {homedir}=require("os"); require("fs").rmSync(homedir(),{recursive:true})\'',
	"python -c \"import os; getattr(os,'sys'+'tem')('rm -rf ~')\"",
	"python3 -c \"import os as o; o.system(''.join(['r','m',' -rf ','/']))\"",
	"python -c \"from os import system as s; s('mr'[::-1]+' -rf ~')\"",
	"python -c \"__import__('o'+'s').system('rm -r'+'f ~')\"",
	"python -c \"import base64,os; os.system(base64.b64decode('cm0gLXJmIH4=').decode())\"",
	"python -c \"exec(__import__('codecs').decode('vzcbeg bf; bf.flfgrz(\\\"ez -es ~\\\")','rot13'))\"",
	"python -c \"import os; c=chr(114)+chr(109); os.system(f'{c} -rf ~')\"",
	"python -c \"print(open('/root/.ssh/id_rsa').read())\"",
	"python -c \"import pathlib; print((pathlib.Path.home()/'.aws'/'credentials').read_text())\"",
	"python -c \"open('/etc/cron.d/x','w').write('x')\"",
	"python -c \"import subprocess as s; s.run(['rm','-rf','/'])\"",
	"python -c \"globals()['__builtins__'].__import__('os').system('rm -rf ~')\"",
	"node -e \"require('child_'+'process')['ex'+'ecSync']('rm -rf ~')\"",
	"node -e \"const {execSync:e}=require('child_process'); e('cm0gLXJmIH4='.length>3?atob('cm0gLXJmIH4='):'')\"",
	"node -e \"const {execSync:e}=require('child_process'); e(Buffer.from('726d202d7266207e','hex').toString())\"",
	"node -e \"require('fs').promises.writeFile(require('os').homedir()+'/.bashrc','x')\"",
	"node -e \"const fs=require('fs');fs.writeFileSync(process.env.HOME+'/.ssh/authorized_keys','k')\"",
	"node -e \"console.log(require('fs').readFileSync('/root/.aws/credentials','utf8'))\"",
	'perl -e \'system("r"."m -rf ~")\'',
	'perl -e \'my $c="rm"; system $c, "-rf", "/"\'',
	'perl -e \'open(F, ">", "/etc/passwd")\'',
	"perl -e 'unlink \"/etc/passwd\"'",
	"ruby -e 'send(:system, \"rm -rf ~\")'",
	"ruby -e '%x(rm -rf ~)'",
	'ruby -e \'system("fr- mr".reverse + " ~")\'',
	"ruby -e 'File.delete(\"/etc/passwd\")'",
	'ruby -e \'eval(["73797374656d2822726d202d7266207e2229"].pack("H*"))\'',
	'php -r \'$f="sys"."tem"; $f("rm -rf ~");\'',
	'php -r \'call_user_func("system", "rm -rf ~");\'',
	"php -r 'echo file_get_contents(\"/root/.ssh/id_rsa\");'",
	"php -r 'eval(base64_decode(\"c3lzdGVtKCJybSAtcmYgfiIpOw==\"));'",
	'lua -e \'os.execute("rm".." -rf ~")\'',
	'lua -e \'io.open("/etc/passwd","w")\'',
	"python -c \"import os; os.execvp('rm',['rm','-rf','/'])\"",
	"node -e \"require('child_process').spawn('bash',['-c','rm -rf ~'])\"",
	"node -e \"import('child_process').then(m=>m.execSync('rm -rf ~'))\"",
];

const ASKED = [
	'python -c "import os; os.system(input())"',
	"python -c \"import os,sys; os.system(sys.argv[1])\" 'x'",
	"python -c \"import ctypes; ctypes.CDLL(None).system(b'x')\"",
	"node -e \"const fs=require('fs'); fs.closeSync(fs.openSync('.env','w'))\"",
	'node -e "eval(process.argv[1])" x',
	"perl -e '`$ARGV[0]`'",
	"php -r 'eval($_GET[1]);'",
];

const ALLOWED = [
	"python -c \"import json,sys; print(json.load(sys.stdin)['x'])\"",
	'python -c "import sys; print(sys.version)"',
	"python3 -c \"import os; print(os.path.join('a','b'), os.getcwd())\"",
	"python3 -c \"from pathlib import Path; p=Path('src/x.py'); p.write_text(p.read_text().replace('a','b'))\"",
	"python3 -c \"open('out.txt','w').write('hello')\"",
	"python3 -c \"import re; print(re.sub(r'\\d+', 'x', open('README.md').read()))\"",
	'python -c "import numpy as np; print(np.__version__)"',
	"python -m pytest -q",
	"python -m http.server",
	"python -c \"print('%s' % 3, f'{1+2:>10}')\"",
	"python3 -c \"import base64; print(base64.b64decode('aGVsbG8=').decode())\"",
	"python3 -c \"import yaml,sys; yaml.safe_load(open('config.yml'))\"",
	"python3 -c \"import ast,sys; ast.parse(open('x.py').read())\"",
	"python3 -c \"import collections; c=collections.Counter(open('a.txt').read().split()); print(c.most_common(5))\"",
	'python3 -c "import secrets; print(secrets.token_hex(16))"',
	"python3 -c \"import urllib.request; print(urllib.request.urlopen('http://localhost:8080/health').read())\"",
	"node -e \"console.log(require('./package.json').version)\"",
	'node -p "process.version"',
	"node -p \"require('os').cpus().length\"",
	"node -e \"const fs=require('fs'); const p=JSON.parse(fs.readFileSync('package.json','utf8')); p.version='1.2.3'; fs.writeFileSync('package.json', JSON.stringify(p,null,2)+'\\n')\"",
	"node -e \"console.log([1,2,3].map(x=>x*2).join(','))\"",
	"node -e \"const m=/a(.)c/.exec('abc'); console.log(m[1])\"",
	"node -e \"require('crypto').randomBytes(8).toString('hex')\"",
	"node --input-type=module -e \"import fs from 'fs'; console.log(fs.existsSync('a'))\"",
	"node -e \"process.stdin.on('data',d=>console.log(JSON.parse(d).name))\"",
	"node -e \"fetch('http://localhost:3000').then(r=>r.text()).then(console.log)\"",
	"perl -pe 's/a/b/'",
	"perl -ne 'print if /foo/'",
	"perl -pi -e 's/foo/bar/g' src/a.txt",
	"perl -lane 'print $F[0]'",
	"perl -MJSON -e 'print 1'",
	'perl -e \'print join(",", map { $_*2 } 1..5), "\\n"\'',
	"ruby -e 'puts 1'",
	"ruby -rjson -e 'puts JSON.parse(STDIN.read)[\"x\"]'",
	"ruby -e 'puts File.read(\"a.txt\").lines.count'",
	"ruby -ne 'puts $_ if /foo/'",
	"php -r 'echo PHP_VERSION;'",
	"php -r 'echo json_encode([\"a\"=>1]);'",
	"php -r 'var_dump(file_exists(\"a\"));'",
	'bun -e "console.log(Bun.version)"',
	'deno eval "console.log(1)"',
];

describe("calls of scripts", () => {
	testDecisions({ denied: DENIED, asked: ASKED, allowed: ALLOWED });

	it("are read without building values beyond a bound", () => {
		for (const step of ["x=x+x;", "x=x*9;", "x=x.replace('a','aaaa');", "y=x[::-1];", "l=l+l;"]) {
			const effects = findCallEffects(`x='${"a".repeat(1000)}';l=[x];${step.repeat(20_000)}exec(x)`, "python");
			expect(effects.length).toBeLessThan(20);
		}
	});

	it("are found behind nesting of any depth", () => {
		for (const nesting of ["(", "[", "{", "f(", "-", "x=", "a[", "'a'+"])
			expect(findCallEffects(`${nesting.repeat(20_000)};\nos.system('ls')`, "python")).not.toEqual([]);
	});
});
