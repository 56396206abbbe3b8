/**
 * Runs the commands that need no permission in real shells: random, mostly hostile command lines in a folder with
 * traps. Each allowed command must leave the folder unchanged and show nothing from outside.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { createRipgrepSearch, findRipgrep } from '../../platform/search/ripgrep-search.ts'
import { decidePermission } from '../../runtime/permissions/decide-permission.ts'

const run = promisify(execFile)
let home = ''
let repo = ''
let before = ''
let ripgrep = ''
const search = createRipgrepSearch({ rgPath: findRipgrep, environment: {} })
const never = new AbortController().signal

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'troupe-permissions-')))
  repo = join(home, 'repo')
  await mkdir(join(repo, 'src'), { recursive: true })
  await mkdir(join(home, 'repo-evil'))
  await mkdir(join(repo, 'bare'), { recursive: true })
  await writeFile(join(home, 'outside.txt'), 'OUTSIDE\n')
  await writeFile(join(home, 'repo-evil', 'x'), 'OUTSIDE\n')
  await writeFile(join(repo, '.env'), 'OUTSIDE=1\n')
  await writeFile(join(repo, 'a.txt'), 'one\ntwo\n')
  await writeFile(join(repo, 'src', 'b.txt'), 'three\n')
  await symlink('../outside.txt', join(repo, 'link'))
  await symlink('..', join(repo, 'up'))
  await writeFile(join(repo, 'evil'), '#!/bin/sh\ntouch pwned\n', { mode: 0o755 })
  await mkdir(join(repo, 'lib'))
  await writeFile(join(repo, 'lib', 'a.txt'), 'two\n')
  await writeFile(join(repo, 'lib', '.env.local'), 'OUTSIDE=2\n')
  await writeFile(join(repo, 'options'), '-f\nOUTSIDE\n')
  await mkdir(join(home, 'names'))
  await writeFile(join(home, 'names', 'OUTSIDE'), '')
  const found = await findRipgrep()
  if (!found.ok) throw new Error(found.failure.message)
  ripgrep = dirname(found.value)
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: repo })
  await git('init', '-q', '-b', 'main')
  await git('add', 'a.txt')
  await git('commit', '-qm', 'first')
  await git('config', 'gpg.program', './evil')
  // A signed commit, which git can check only with the program.
  const tree = (await git('rev-parse', 'HEAD^{tree}')).stdout.trim()
  await writeFile(join(home, 'signed'), signedCommit(tree))
  const signed = (await git('hash-object', '-t', 'commit', '-w', join(home, 'signed'))).stdout.trim()
  await git('update-ref', 'HEAD', signed)
  // A folder that looks like a repository to git, with settings that run a program.
  await run('git', ['init', '-q', '--bare', join(repo, 'bare')])
  await run('git', ['-C', join(repo, 'bare'), 'config', 'core.fsmonitor', join(repo, 'evil')])
  await run('git', ['-C', join(repo, 'bare'), 'config', 'core.bare', 'false'])
  await run('git', ['-C', join(repo, 'bare'), 'config', 'core.worktree', repo])
  before = await snapshot(repo)
})

function signedCommit(tree: string): string {
  const person = 't <t@example.com> 1700000000 +0000'
  const mark = (name: string) => `-----${name} PGP SIGNATURE-----`
  return `tree ${tree}\nauthor ${person}\ncommitter ${person}\ngpgsig ${mark('BEGIN')}\n \n AAAA\n ${mark('END')}\n\nsigned\n`
}

afterAll(async () => {
  await rm(home, { recursive: true, force: true })
})

/** All names and contents except git's index, which `git status` may refresh. */
async function snapshot(folder: string): Promise<string> {
  // Without types, it would follow links, also those that lead back into the folder.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const isText = entry.isFile() && entry.name !== 'index'
      return `${path} ${isText ? await readFile(path, 'utf8') : ''}`
    }),
  )
  return lines.sort().join('\n')
}

async function isAllowed(command: string): Promise<boolean> {
  const decision = await decidePermission({
    tool: 'Bash',
    target: { kind: 'command', command },
    mode: 'default',
    agent: { readOnly: false, root: repo },
    rules: [],
    trusted: true,
    bypassAllowed: false,
    dataFolder: null,
    realPath: async (path) => ok(await nearestRealPath(path)),
    look: {
      names: (path) => readdir(path).catch(() => null),
      text: (path) => readFile(path, 'utf8').catch(() => null),
      findFile: (query) => search.first(query, never),
    },
  })
  return decision.kind === 'allow'
}

async function nearestRealPath(path: string): Promise<string> {
  const found = await realpath(path).catch(() => null)
  if (found !== null) return found
  return join(await nearestRealPath(dirname(path)), path.slice(path.lastIndexOf('/') + 1))
}

/** The output of both shells, errors included. */
async function outputs(command: string): Promise<string> {
  const both = await Promise.all(
    ['bash', 'sh'].map((shell) => {
      const running = run(shell, ['-c', command], {
        cwd: repo,
        env: { PATH: `/usr/bin:/bin:${ripgrep}`, HOME: home },
        timeout: 5000,
        maxBuffer: 1 << 24,
      })
      // Standard input is empty.
      running.child.stdin?.end()
      return running.then(
        ({ stdout, stderr }) => stdout + stderr,
        (thrown: { stdout?: string; stderr?: string }) => `${thrown.stdout}${thrown.stderr}`,
      )
    }),
  )
  return both.join('')
}

const pieces = [
  ...[
    'ls',
    'cat',
    'head -1',
    'wc -l',
    'grep -rn one',
    'sort',
    'uniq',
    'find .',
    "sed -n '1p'",
    'git status -s',
    'git diff',
  ],
  ...[
    'git log --oneline',
    'echo',
    'pwd',
    'cd',
    'true',
    'test -f',
    'printf %s',
    'xargs',
    'env',
    'time',
    'diff a.txt',
    'tr a b',
    'time cd lib',
    'cd lib',
    'rg -n',
    'rg -uuu',
    'rg -. -e OUT',
    'grep -r OUT',
    'grep -rh = --include=*.txt',
    'diff -N',
    'git grep -h =',
    'strings',
    'stat -c %n',
    'file',
    "printf '%ln'",
    "printf '%5ln' PATH",
    "git log --format='% GG'",
    "git show -s --format='%-GK'",
    'time',
  ],
  ...[
    'a.txt',
    'src/b.txt',
    'src',
    '.',
    '..',
    'link',
    'up',
    'up/outside.txt',
    '.env',
    '../outside.txt',
    '~/outside.txt',
    'bare',
  ],
  ...[
    'touch pwned',
    './evil',
    '> pwned',
    '>pwned',
    '< link',
    '2>/dev/null',
    '-o pwned',
    '--output=pwned',
    '-exec ./evil ;',
  ],
  ...[
    '--pre ./evil',
    '-delete',
    "'w pwned'",
    '--ext-diff',
    '-c core.fsmonitor=./evil',
    '$(touch pwned)',
    '`touch pwned`',
  ],
  ...[
    '<(touch pwned)',
    '$HOME/outside.txt',
    '$((1+1))',
    '*',
    'l*',
    '.e*',
    '{a.txt,link}',
    '{a.txt,../outside.txt}',
    './{src,..}/*',
    'l*/../../outside.txt',
    'l*/*',
    '.e??',
    '../n*/*',
    '-r',
    '-r one .',
    '-N . lib',
    '--untracked one',
    'lib/*',
    'src/*.txt',
    '@options',
    '*/../*',
    '"',
    "'",
    '\\',
    '\n',
    ' ',
    '#',
    '--',
  ],
  ...[
    ';',
    '&&',
    '||',
    '|',
    '&',
    '(',
    ')',
    '{ ',
    '; }',
    '!',
    '<<E',
    '\nE\n',
    '\\\n',
    '$',
    '"$(',
    ')"',
    'X=1',
    '~',
    '&>pwned',
    '|&',
  ],
]

it('allowed commands change nothing and show nothing from outside the folder', async () => {
  let allowed = 0
  const command = fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(' ', ' ', '')), {
      minLength: 1,
      maxLength: 9,
    })
    .map((parts) => parts.map(([piece, space]) => piece + space).join(''))
  await fc.assert(
    fc.asyncProperty(command, async (text) => {
      if (!(await isAllowed(text))) return
      allowed += 1
      expect(await outputs(text)).not.toContain('OUTSIDE')
      expect(await snapshot(repo)).toBe(before)
    }),
    { numRuns: Number(process.env['TROUPE_FUZZ_RUNS'] ?? 300) },
  )
  expect(allowed).toBeGreaterThan(3)
}, 600_000)

it('the shell runs the judged commands: one of each kind prints its output', async () => {
  expect(await isAllowed('cat a.txt')).toBe(true)
  expect(await outputs('cat a.txt')).toBe('one\ntwo\none\ntwo\n')
  expect(await isAllowed('cat link')).toBe(false)
  expect(await outputs('cat link')).toContain('OUTSIDE')
  expect(await isAllowed('cd bare && git status')).toBe(false)
})

it.each([
  'cat {a.txt,../outside.txt}',
  'git diff ./{a.txt,../outside.txt}',
  'git diff a.txt l*/../../outside.txt',
  'cat s*/../../outside.txt',
  'time cd lib; cat ../../outside.txt',
  'grep -r OUT .',
  'rg -uuu OUT .',
  'rg -. OUT lib',
  'rg --hidden -g .env OUT .',
  'rg -g .env OUT .',
  'git grep --untracked -h OUT',
  'diff -N . lib',
  'ls ../n*',
  'echo ../names/*',
  'ls .*/names',
  'strings @options',
  "git log --format='%+G?'",
  "git log --format='% GG'",
])('asks about %s, which shows or runs something outside in a real shell', async (command) => {
  expect(await isAllowed(command)).toBe(false)
  const shown = await outputs(command)
  const changed = (await snapshot(repo)) !== before
  await rm(join(repo, 'pwned'), { force: true })
  expect(changed || shown.includes('OUTSIDE')).toBe(true)
})

it.each([
  'head -1 src/*.txt',
  'grep -n three src/*.txt',
  'cat {a,src/b}.txt',
  'grep -rn three src',
  'rg -n three .',
  'grep -rn three . --exclude=.env*',
])('runs %s', async (command) => {
  expect(await isAllowed(command)).toBe(true)
  expect(await outputs(command)).toContain('three')
})
