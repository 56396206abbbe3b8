/** Git in the real sandbox: what agents do daily lands in the repository, and nothing else does. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasSandbox, type SandboxedShell, sandboxedShell } from './testing/sandboxed-shell.ts'

let its: SandboxedShell
let folder: string
let tree: string

beforeEach(() => {
  its = sandboxedShell()
  folder = its.folder
  tree = join(its.base, 'tree')
  its.git(['init', '-q', '-b', 'main'])
  its.git(['config', 'user.name', 'Ada'])
  its.git(['config', 'user.email', 'ada@example.invalid'])
  writeFileSync(join(folder, 'a.txt'), 'one\n')
  its.git(['add', '.'])
  its.git(['commit', '-qm', 'Start'])
})
afterEach(() => its.close())

const makeTree = () => its.git(['worktree', 'add', '-q', '-b', 'troupe/work', tree])
const inTree = (command: string) => its.run(command, { folder: tree, writes: [tree], reads: [folder] })
const notes = ({ sandboxNotes = [] }: { sandboxNotes?: readonly string[] }) => sandboxNotes.join(' ')
const history = (at = folder) => its.git(['log', '--format=%s'], at).split('\n')

describe.runIf(hasSandbox)("in the user's own checkout", () => {
  test('status, diff, log and blame read the repository', async () => {
    writeFileSync(join(folder, 'a.txt'), 'two\n')
    const end = await its.run(
      'git status --short; git diff --stat; git log --oneline | wc -l; git blame -s a.txt',
    )
    expect(end.output).toMatch(/^ M a.txt\n a.txt .*\n.*\n1\n0{8} .*two\n$/s)
    expect(end.sandboxNotes).toBeUndefined()
  })

  test('an added file and a commit land, with an entry in the log of the branch', async () => {
    const end = await its.run(
      'echo b > b.txt && git add b.txt && git commit -qm "Add b" && echo c > c.txt && git add c.txt',
    )
    expect(end).toMatchObject({ exitCode: 0, output: '' })
    expect(history()).toEqual(['Add b', 'Start'])
    expect(its.git(['status', '--porcelain'])).toBe('A  c.txt')
    expect(its.git(['fsck', '--full', '--strict'])).toBe('')
    expect(its.git(['reflog', '-1', 'main', '--format=%gs'])).toBe('commit: Add b')
    expect(notes(end)).toBe('')
  })

  test('an amended commit lands', async () => {
    await its.run('echo b > a.txt && git commit -qam "Change a"')
    await its.run('git commit -q --amend -m "Change a well"')
    expect(history()).toEqual(['Change a well', 'Start'])
  })

  test('a repository that a command makes keeps plain settings and those of Git LFS, and nothing that runs', async () => {
    const set = (name: string, value: string) => `git -C made config ${name} '${value}'`
    const end = await its.run(
      [
        ...[
          'git init -q made',
          set('user.email', 'bob@a.invalid'),
          set('user.name', 'Bob "B"'),
          set('remote.origin.url', 'https://a.invalid/x'),
        ],
        ...[set('filter.lfs.clean', 'git-lfs clean -- %f'), set('branch.main.merge', 'refs/heads/main')],
        'git -C made commit -q --allow-empty -m First',
      ].join('; '),
    )
    expect(end).toMatchObject({ exitCode: 0, output: '' })
    expect(end.sandboxNotes).toBeUndefined()
    const armed = await its.run(
      `git init -q other; git -C other config user.name 'Bob "B"'; git -C other config core.pager ./evil; git -C other config remote.x.url 'ext::sh -c evil'`,
    )
    expect(notes(armed)).toMatch(/set aside.*other\/\.git\/config \(core\.pager, remote\.x\.url\)/)
    const other = join(folder, 'other')
    expect(its.git(['config', 'user.name'], other)).toBe('Bob "B"')
    expect(its.git(['config', '--list', '--local'], other)).not.toMatch(/evil/)
    expect(readFileSync(join(other, '.git', 'config.not-kept'), 'utf8')).toContain('evil')
    // The repository is kept from now on, and the agent is told.
    const more = await its.run('git -C made commit -q --allow-empty -m Second')
    expect(notes(more)).toMatch(/can't change .*made\/\.git.*outside_sandbox/)
  })

  test('a stash fails before it touches a file', async () => {
    writeFileSync(join(folder, 'a.txt'), 'mine\n')
    const end = await its.run('git stash')
    expect(end.exitCode).not.toBe(0)
    expect(notes(end)).toMatch(/stash nothing in the user's own checkout.*outside_sandbox/)
    expect((await its.run('git log --all --oneline')).sandboxNotes).toBeUndefined()
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('mine\n')
    expect(its.git(['stash', 'list'])).toBe('')
  })

  test('other branches, tags and another checkout are not kept, in words', async () => {
    const end = await its.run('git branch other; git tag v1; git checkout -q other')
    expect(notes(end)).toMatch(/checked out the branch other.*stay on the branch main/)
    expect(notes(end)).toMatch(/Not kept in the repository: other, v1\..*outside_sandbox/)
    expect(its.git(['branch', '--format=%(refname:short)'])).toBe('main')
    expect(its.git(['tag'])).toBe('')
    expect(await its.run('git branch --format="%(refname:short)"')).toMatchObject({ output: 'main\n' })
  })

  test('commits are not removed from the branch', async () => {
    await its.run('echo b > a.txt && git commit -qam "Change a"')
    const end = await its.run('git reset -q --soft HEAD~1')
    expect(notes(end)).toContain('removes none')
    expect(history()).toEqual(['Change a', 'Start'])
  })

  test('settings fail at once', async () => {
    const end = await its.run('git config core.fsmonitor ./evil')
    expect(end.exitCode).not.toBe(0)
    expect(readFileSync(join(folder, '.git', 'config'), 'utf8')).not.toContain('evil')
  })

  test('a password in the address of a remote is not shown', async () => {
    its.git(['remote', 'add', 'origin', 'https://ada:s3cret@example.invalid/x.git'])
    const end = await its.run('git remote -v; cat .git/config')
    expect(end.output).toContain('example.invalid')
    expect(end.output).not.toContain('s3cret')
  })

  test('a branch that the user moved meanwhile stays, and the commit is named', async () => {
    const end = await its.run(
      'echo b > b.txt; git add b.txt; git commit -qm "Add b"; until [ -e go ]; do :; done',
      {},
      await new Promise((resolve) => {
        const signal = new AbortController().signal
        const timer = setInterval(() => {
          const index = join(folder, 'b.txt')
          if (!existsSync(index)) return
          clearInterval(timer)
          its.git(['commit', '-q', '--allow-empty', '-m', 'Mine'])
          writeFileSync(join(folder, 'go'), '')
        }, 20)
        resolve(signal)
      }),
    )
    expect(notes(end)).toMatch(
      /was not moved to [0-9a-f]{12}, because it changed in the repository meanwhile/,
    )
    expect(history()).toEqual(['Mine', 'Start'])
  })

  test('two agents commit one after the other', async () => {
    await its.run('echo b > b.txt; git add b.txt; git commit -qm B', { agentId: 'a-1' })
    await its.run('echo c > c.txt; git add c.txt; git commit -qm C', { agentId: 'a-2' })
    await its.run('echo d > d.txt; git add d.txt; git commit -qm D', { agentId: 'a-1' })
    expect(history()).toEqual(['D', 'C', 'B', 'Start'])
    expect(its.git(['status', '--porcelain'])).toBe('')
  })

  test('a repository without a commit gets its first', async () => {
    const fresh = join(its.base, 'fresh')
    mkdirSync(fresh)
    its.git(['init', '-q', '-b', 'main'], fresh)
    const end = await its.run(
      'echo a > a; git add a; git -c user.name=A -c user.email=a@b.c commit -qm First',
      { folder: fresh },
    )
    expect(end).toMatchObject({ exitCode: 0 })
    expect(history(fresh)).toEqual(['First'])
  })

  test('a folder below the top works too', async () => {
    mkdirSync(join(folder, 'packages', 'a'), { recursive: true })
    const end = await its.run(
      'echo b > b.txt && git add b.txt && git commit -qm "Add b"; echo x > ../../no',
      {
        folder: join(folder, 'packages', 'a'),
      },
    )
    expect(end.output).toMatch(/no: Read-only file system/)
    expect(history()).toEqual(['Add b', 'Start'])
  })

  test('ten thousand packed refs, a shallow clone and other object stores work', async () => {
    const tip = its.git(['rev-parse', 'HEAD'])
    writeFileSync(
      join(folder, '.git', 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${Array.from({ length: 10_000 }, (_, at) => `${tip} refs/tags/t${String(at).padStart(5, '0')}\n`).join('')}`,
    )
    expect(await its.run('git tag | wc -l; echo b > b; git add b; git commit -qm B')).toMatchObject({
      output: '10000\n',
    })
    const shared = join(its.base, 'shared')
    its.git(['clone', '-q', '--shared', folder, shared])
    const shallow = join(its.base, 'shallow')
    its.git(['clone', '-q', '--depth', '1', `file://${folder}`, shallow])
    for (const at of [shared, shallow]) {
      const commit =
        'echo c > c; git add c; git -c user.name=A -c user.email=a@b.c commit -qm C; git status --short'
      expect(await its.run(commit, { folder: at })).toMatchObject({ exitCode: 0, output: '' })
      expect(history(at)[0]).toBe('C')
    }
  })

  test('a repository with SHA-256 gets commits', async () => {
    const fresh = join(its.base, 'sha256')
    mkdirSync(fresh)
    its.git(['init', '-q', '--object-format=sha256'], fresh)
    await its.run('echo a > a; git add a; git -c user.name=A -c user.email=a@b.c commit -qm First', {
      folder: fresh,
    })
    expect(history(fresh)).toEqual(['First'])
    expect(its.git(['fsck', '--strict'], fresh)).toBe('')
  })

  test.each(['2', '4'])('no index of version %s hides a change', async (version) => {
    its.git(['update-index', '--index-version', version])
    const end = await its.run(`sleep 0.1; ${FORGE}`)
    expect(end).toMatchObject({ exitCode: 0 })
    expect(its.git(['status', '--porcelain'])).toBe('M a.txt')
    expect(its.git(['ls-files', '--debug', 'a.txt'])).toContain('size: 0')
  })

  test('what was staged is compared with the files once, not by each status', async () => {
    await its.run('for i in 1 2 3; do echo $i > f$i; done; git add .')
    expect(its.git(['ls-files', '--debug', 'f2'])).toContain('size: 2')
    expect(its.git(['ls-files', '--debug', 'a.txt'])).toContain('size: 4')
  })
})

/** Stages a change, and makes the index claim that the commit has the file as it is now. */
const FORGE = `echo two > a.txt; git add a.txt; cat > $TMPDIR/forge.py <<'END'
import hashlib, subprocess
run = lambda *args: subprocess.check_output(args).decode().strip()
path = run('git', 'rev-parse', '--git-path', 'index')
content = open(path, 'rb').read()[:-20]
ids = [bytes.fromhex(run('git', 'rev-parse', name)) for name in (':a.txt', 'HEAD:a.txt')]
content = content.replace(*ids)
open(path, 'wb').write(content + hashlib.sha1(content).digest())
END
python3 $TMPDIR/forge.py; git status --short`

describe.runIf(hasSandbox)('in a worktree', () => {
  beforeEach(() => makeTree())

  test('commits, amends, resets and merges land on its branch alone', async () => {
    const end = await inTree(
      'echo b > b.txt && git add . && git commit -qm B && git commit -q --amend -m B2 && echo c > c.txt && git add . && git commit -qm C && git reset -q --hard HEAD~1',
    )
    expect(end).toMatchObject({ exitCode: 0, output: '' })
    expect(history(tree)).toEqual(['B2', 'Start'])
    expect(history()).toEqual(['Start'])
    writeFileSync(join(folder, 'd.txt'), 'd')
    its.git(['add', '.'])
    its.git(['commit', '-qm', 'D'])
    expect(await inTree('git merge -q --no-edit main && git log --format=%s -1')).toMatchObject({
      exitCode: 0,
    })
    expect(history(tree)).toContain('D')
    expect(its.git(['status', '--porcelain'], tree)).toBe('')
  })

  test("a stash of its own survives commands, and the user's is neither seen nor changed", async () => {
    writeFileSync(join(folder, 'a.txt'), 'mine\n')
    its.git(['stash', '-q'])
    await inTree('echo changed > a.txt && git stash -q && git stash list | wc -l')
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('one\n')
    expect(its.git(['stash', 'list']).split('\n')).toHaveLength(1)
    expect(its.git(['for-each-ref', 'refs/troupe/stash', '--format=%(refname)'])).not.toBe('')
    expect(await inTree('git stash list | wc -l; git stash pop -q')).toMatchObject({ output: '1\n' })
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(its.git(['stash', 'list']).split('\n')).toHaveLength(1)
    expect(its.git(['for-each-ref', 'refs/troupe/stash'])).toBe('')
  })

  test('a rebase with a conflict goes on in the next command', async () => {
    await inTree('echo theirs > a.txt && git commit -qam Theirs')
    writeFileSync(join(folder, 'a.txt'), 'ours\n')
    its.git(['commit', '-qam', 'Ours'])
    const stopped = await inTree('git rebase main')
    expect(stopped.output).toContain('CONFLICT')
    const own = join(folder, '.git', 'worktrees', 'tree')
    expect(readdirSync(join(own, 'rebase-merge'))).not.toContain('git-rebase-todo')
    expect(readFileSync(join(own, 'rebase-merge', 'head-name'), 'utf8')).toBe('refs/heads/troupe/work\n')
    const end = await inTree('echo both > a.txt && git add a.txt && git rebase --continue')
    expect(end).toMatchObject({ exitCode: 0 })
    expect(history(tree)).toEqual(['Theirs', 'Ours', 'Start'])
    expect(its.git(['branch', '--show-current'], tree)).toBe('troupe/work')
    expect(existsSync(join(own, 'rebase-merge'))).toBe(false)
    expect(its.git(['status', '--porcelain'], tree)).toBe('')
  })

  test('a cherry-pick with a conflict is seen as unfinished', async () => {
    await inTree('echo theirs > a.txt && git commit -qam Theirs')
    writeFileSync(join(folder, 'a.txt'), 'ours\n')
    its.git(['commit', '-qam', 'Ours'])
    await inTree('git cherry-pick main')
    expect(its.git(['status', '--porcelain'], tree)).toContain('UU a.txt')
    expect(existsSync(join(folder, '.git', 'worktrees', 'tree', 'CHERRY_PICK_HEAD'))).toBe(true)
    await inTree('git cherry-pick --abort')
    expect(its.git(['status', '--porcelain'], tree)).toBe('')
    expect(existsSync(join(folder, '.git', 'worktrees', 'tree', 'CHERRY_PICK_HEAD'))).toBe(false)
  })

  test('a pack of objects lands, and a collection of garbage removes nothing', async () => {
    const end = await inTree(
      'for i in 1 2 3; do echo $i > f$i; git add .; git commit -qm $i; done; git gc -q --prune=now; git prune',
    )
    expect(end.exitCode).toBe(0)
    expect(history(tree)).toEqual(['3', '2', '1', 'Start'])
    expect(its.git(['fsck', '--strict'])).toBe('')
  })
})

/** Adds the path that follows to the index, by its bytes: git itself refuses it. */
const ENTRY = `cat > $TMPDIR/entry.py <<'END'
import hashlib, struct, subprocess, sys
path = subprocess.check_output(['git', 'rev-parse', '--git-path', 'index']).decode().strip()
name = sys.argv[1].encode()
entry = bytes(24) + struct.pack('>4I', 0o100755, 0, 0, 0) + bytes.fromhex('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391')
entry += struct.pack('>H', len(name)) + name
entry += bytes(8 - len(entry) % 8)
content = open(path, 'rb').read()[:-20]
content = content[:8] + struct.pack('>I', struct.unpack('>I', content[8:12])[0] + 1) + entry + content[12:]
open(path, 'wb').write(content + hashlib.sha1(content).digest())
END
git hash-object -w /dev/null > /dev/null; python3 $TMPDIR/entry.py`

/** Each leaves what only success would leave: a file below `.git` that is new or other. */
const HOSTILE: readonly (readonly [name: string, command: string])[] = [
  ['commondir', 'mkdir -p evil && echo "$PWD/evil" > $GIT/commondir'],
  ['a filter', 'printf "[filter \\"x\\"]\\n clean = touch pwned\\n" >> $GIT/config'],
  ['a filter in a replaced file', 'cp $GIT/config c; echo "[core]" >> c; mv c $GIT/config'],
  ['a new hook', 'mkdir -p $GIT/hooks; echo x > $GIT/hooks/post-index-change; chmod +x $GIT/hooks/*'],
  ['settings of a worktree', 'echo "[core]" > $GIT/config.worktree'],
  ['an entry of a worktree', 'mkdir -p $GIT/worktrees/x && echo x > $GIT/worktrees/x/gitdir'],
  ['attributes', 'mkdir -p $GIT/info; echo "* filter=x" > $GIT/info/attributes'],
  ['other object stores', 'echo /etc > $GIT/objects/info/alternates'],
  [
    'a rebase that runs a command',
    'mkdir -p $GIT/rebase-merge && echo "exec touch pwned" > $GIT/rebase-merge/git-rebase-todo',
  ],
  ['a sequence of steps', 'mkdir -p $GIT/sequencer && echo "exec x" > $GIT/sequencer/todo'],
  ['a forged object', 'mkdir -p $GIT/objects/aa; echo x > $GIT/objects/aa/$(printf "%038d" 0)'],
  [
    'a pack that is cut short',
    'echo PACK > $GIT/objects/pack/pack-0000000000000000000000000000000000000000.pack',
  ],
  [
    'a branch of a missing commit',
    `echo ${'1'.repeat(40)} > $GIT/refs/heads/main; echo ${'1'.repeat(40)} > $GIT/refs/heads/troupe/work`,
  ],
  ['a branch that is a link', 'rm -f $GIT/refs/heads/main; ln -s /etc/passwd $GIT/refs/heads/main'],
  [
    'HEAD that is a link',
    'for f in $GIT/HEAD $GIT/worktrees/*/HEAD; do rm -f $f; ln -s /etc/hostname $f; done',
  ],
  [
    'HEAD of another branch',
    'for f in $GIT/HEAD $GIT/worktrees/*/HEAD; do echo "ref: refs/heads/other" > $f; done',
  ],
  ['an index that is a pipe', 'for f in $GIT/index $GIT/worktrees/*/index; do rm -f $f; mkfifo $f; done'],
  ['an index of nonsense', 'for f in $GIT/index $GIT/worktrees/*/index; do echo nonsense > $f; done'],
  ['a split index', 'git update-index --split-index'],
  ['a log of another branch', 'mkdir -p $GIT/logs/refs/heads; echo x > $GIT/logs/refs/heads/other'],
  ['another branch', 'git update-ref refs/heads/other HEAD'],
  ['a replaced object', 'git replace --edit HEAD; git replace -f HEAD $(git commit-tree -m x HEAD^{tree})'],
  ['a folder of git that is a link', 'mv $GIT/refs $GIT/old; ln -s /etc $GIT/refs'],
  ['objects that are a link', 'rm -rf $GIT/objects; ln -s $GIT/objects-of-repository $GIT/objects'],
  ['a module', 'mkdir -p $GIT/modules/x && echo x > $GIT/modules/x/config'],
  ['removed objects', 'rm -rf $GIT/objects/* $GIT/objects-of-repository/*'],
  ['worktrees that are a link', 'rm -rf $GIT/worktrees; ln -s $OUTSIDE $GIT/worktrees'],
  ['logs that are a link', 'rm -rf $GIT/logs/refs; mkdir -p $GIT/logs; ln -s $OUTSIDE $GIT/logs/refs'],
  ['a folder of branches that is a link', 'rm -rf $GIT/refs/heads; ln -s $OUTSIDE $GIT/refs/heads'],
  [
    'a worktree that is a link to another repository',
    'rm -rf $GIT/worktrees/tree; mkdir -p $GIT/worktrees; ln -s $OUTSIDE/other/.git $GIT/worktrees/tree',
  ],
  ['an index with a file in a git folder', `${ENTRY} .git/hooks/post-checkout`],
  ['an index with a file in a git folder in other letters', `${ENTRY} a/.GIT/config`],
  ['an index with a file outside', `${ENTRY} ../a`],
]

describe.runIf(hasSandbox)('an attack', () => {
  /** What git's folder holds, without what a commit changes. */
  const state = () => {
    const files = new Map<string, string>()
    const walk = (path: string) => {
      for (const name of readdirSync(path)) {
        const at = join(path, name)
        if (statSync(at).isDirectory()) walk(at)
        else files.set(at, readFileSync(at, 'latin1'))
      }
    }
    walk(join(folder, '.git'))
    return Object.fromEntries([...files].filter(([path]) => !/\/(index|ORIG_HEAD)$|\/objects\//.test(path)))
  }

  test.each(HOSTILE)('%s leaves nothing in the repository', async (_, command) => {
    its.git(['branch', 'other'])
    makeTree()
    const git = join(folder, '.git')
    const outside = join(its.base, 'outside')
    const other = join(outside, 'other')
    mkdirSync(other, { recursive: true })
    its.git(['init', '-q'], other)
    writeFileSync(join(other, 'secret-name'), '')
    its.git(['add', '.'], other)
    for (const more of [{}, { folder: tree, writes: [tree], reads: [folder] }]) {
      const before = state()
      await its.run(`GIT=${git} OUTSIDE=${outside}; ${command}`, more)
      expect(state()).toEqual(before)
      expect(its.git(['fsck', '--strict', '--no-dangling'], more.folder ?? folder)).toBe('')
      expect(its.git(['status', '--porcelain', '-uno'], more.folder ?? folder)).toBe('')
      expect(existsSync(join(git, 'objects/info/alternates'))).toBe(false)
      // The next command works with the repository as it is, and nothing was written through a link.
      expect(await its.run('git log --format=%s; git ls-files', more)).toMatchObject({
        output: 'Start\na.txt\n',
      })
      expect(readdirSync(outside)).toEqual(['other'])
      expect(readdirSync(other).sort()).toEqual(['.git', 'secret-name'])
    }
  })
})
