/** Path rules in a real folder with links: every spelling of a file is judged alike, and patterns mean what git's do. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { decidePermission } from '../../runtime/permissions/decide-permission.ts'
import { matchesPattern } from '../../runtime/permissions/path-pattern.ts'

let home = ''
let repo = ''
const files = createNodeFileSystem()

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'troupe-path-rules-')))
  repo = join(home, 'repo')
  for (const path of ['repo/allowed/deep', 'repo/other/deep', 'repo/secret', 'repo-evil/allowed', 'outside'])
    await mkdir(join(home, path), { recursive: true })
  for (const path of [
    'repo/allowed/a',
    'repo/allowed/deep/a',
    'repo/other/a',
    'repo/secret/a',
    'repo-evil/allowed/a',
    'outside/a',
  ])
    await writeFile(join(home, path), '')
  await symlink('../other', join(repo, 'allowed', 'link'))
  await symlink('../../outside', join(repo, 'allowed', 'out'))
  await symlink('../allowed', join(repo, 'other', 'back'))
  await symlink('../secret/a', join(repo, 'other', 'key'))
  await symlink('secret', join(repo, 'vault'))
  await symlink('repo', join(home, 'linked'))
  spawnSync('git', ['init', '-q'], { cwd: repo })
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** Mostly real names, joined in ways that a program or a person might. */
const name = fc.constantFrom(
  ...[
    '.',
    '..',
    'allowed',
    'other',
    'secret',
    'deep',
    'a',
    'link',
    'out',
    'back',
    'key',
    'vault',
    'repo',
    'linked',
    'new',
  ],
  ...['Allowed', 'SECRET', 'allowed.', 'secre\u0301t', '..allowed', 'repo-evil', 'outside', '', ' '],
)
const spelling = fc
  .tuple(
    fc.constantFrom('', './', '$REPO/', '$HOME/', '$HOME/linked/', '$REPO//'),
    fc.array(name, { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', '/'),
  )
  .map(([start, names, end]) => start.replace('$REPO', repo).replace('$HOME', home) + names.join('/') + end)

async function decide(kind: 'read' | 'write', path: string, rules: object): Promise<string> {
  const decision = await decidePermission({
    tool: kind === 'read' ? 'Read' : 'Write',
    target: kind === 'read' ? { kind, path } : { kind, path, preview: '' },
    mode: 'default',
    agent: { readOnly: false, root: repo },
    rules: [],
    ...rules,
    trusted: true,
    bypassAllowed: false,
    realPath: (one) => files.realPath(one),
    dataFolder: null,
    home,
    look: { names: async () => null, text: async () => null, findFile: async () => ok(null) },
  })
  return decision.kind
}

/** Where a write would really happen: `realpath` in a shell, which follows links and `..` like the system. */
function realTarget(path: string): string | null {
  const found = spawnSync('realpath', ['-m', '--', path], { cwd: repo, encoding: 'utf8' })
  return found.status === 0 ? found.stdout.slice(0, -1) : null
}

test('no spelling of a path outside the pattern is allowed', async () => {
  let allowed = 0
  await fc.assert(
    fc.asyncProperty(spelling, async (path) => {
      if ((await decide('write', path, { rules: ['Edit(allowed/**)'] })) !== 'allow') return
      allowed += 1
      expect(`${realTarget(path)}/`).toContain(`${repo}/allowed/`)
    }),
    { numRuns: 600, seed: 55 },
  )
  // A check that allows nothing would pass, too.
  expect(allowed).toBeGreaterThan(5)
})

/** Ways to the file `secret/a`, each with detours that lead back. */
const wayToSecret = fc
  .tuple(
    fc.constantFrom('', './', '$REPO/', '$HOME/linked/', '$HOME/repo-evil/../repo/', '../linked/'),
    fc.array(fc.constantFrom('.', '', 'other/..', 'secret/..', 'allowed/link/..', 'other/back/../other/..'), {
      maxLength: 3,
    }),
    fc.constantFrom(
      'secret/a',
      'vault/a',
      'other/key',
      'secret//./a',
      'other/back/../secret/a',
      'vault/../secret/a',
    ),
  )
  .map(([start, detours, end]) => {
    const way = [...detours, end].join('/')
    return start === '' ? way.replace(/^\/+/, '') : start.replace('$REPO', repo).replace('$HOME', home) + way
  })

test('every spelling of a denied file is denied', async () => {
  const patterns = [
    'secret/**',
    './secret/a',
    '/secret/',
    `/${repo}/secret/**`,
    'vault/**',
    '~/repo/secret',
    '**/a',
    'other/key',
  ]
  let denied = 0
  await fc.assert(
    fc.asyncProperty(wayToSecret, fc.constantFrom(...patterns), async (path, pattern) => {
      fc.pre(realTarget(path) === join(repo, 'secret/a'))
      denied += 1
      const rule = `Read(${pattern})`
      const decision = await decide('read', path, { denied: [rule], rules: ['Read'] })
      expect([path, rule, decision]).toEqual([path, rule, 'deny'])
    }),
    { numRuns: 150, seed: 55 },
  )
  expect(denied).toBe(150)
})

test('a pattern covers the files that it covers in .gitignore', async () => {
  const part = fc.oneof(
    fc.stringMatching(/^[ab*?.-]{1,3}$/),
    fc.constantFrom('**', '[ab]', '[!a]', '[^b]x', 'a*b', '\\*'),
  )
  const patterns = fc
    .tuple(
      fc.constantFrom('', '/', './'),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/', '/**'),
    )
    .map(([start, names, end]) => start + names.join('/') + end)
    .filter((one) => !/(^|\/)\.{1,2}(\/|$)/.test(one.replace(/^\.\//, '')) && !one.endsWith('\\'))
  const paths = fc
    .array(
      fc.stringMatching(/^[abx.*-]{1,3}$/).filter((one) => !/^\.{1,2}$/.test(one)),
      { minLength: 2, maxLength: 4 },
    )
    .map((names) => names.join('/'))
  const cases = fc.sample(fc.tuple(patterns, fc.array(paths, { minLength: 30, maxLength: 30 })), {
    numRuns: 60,
    seed: 55,
  })
  let matched = 0
  for (const [pattern, all] of cases) {
    // git knows no `./`; it anchors like `/`.
    await writeFile(join(repo, '.gitignore'), `${pattern.replace(/^\.\//, '/')}\n`)
    const found = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
      cwd: repo,
      input: all.join('\0'),
      encoding: 'utf8',
    })
    const ignored = new Set(found.stdout.split('\0'))
    for (const below of all) {
      const covers = matchesPattern(pattern, { absolute: `${repo}/${below}`, below }, { lenient: false })
      // Unlike in git, `a/**` and `a/` also cover `a` itself, where a search of the folder starts.
      const itself =
        /\/(\*\*)?$/.test(pattern) &&
        !ignored.has(below) &&
        matchesPattern(pattern, { absolute: '', below: `${below}/x` }, { lenient: false })
      matched += covers ? 1 : 0
      if (!itself) expect([pattern, below, covers]).toEqual([pattern, below, ignored.has(below)])
    }
  }
  expect(matched).toBeGreaterThan(50)
})
