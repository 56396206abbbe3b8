/**
 * The sandbox of macOS as text: what its rules let a command do, next to what the mounts of Linux let it do, in one table.
 * Seatbelt itself is not here, so its rules are read as its documentation says: the last one that fits decides.
 */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Mount, mountPlan } from './mount-plan.ts'
import { makeLinks, seatbeltLine, seatbeltRules, unlinkFolder } from './seatbelt.ts'

const HOME = '/Users/ana'
const FOLDER = '/Users/ana/src/shop'
const OWN = '/private/var/folders/ab/T/troupe-sandbox-7/agents/a-1'
const DATA = `${HOME}/Library/Application Support/troupe`

const plan = mountPlan({
  folder: FOLDER,
  home: HOME,
  dataFolder: DATA,
  emptied: ['/private/tmp', '/private/var/folders/ab/T', '/Users', '/Users/ana/src'],
  temporary: ['/private/tmp', '/private/var/folders/ab/T'],
  ofRun: [],
  own: { home: `${OWN}/home`, temp: `${OWN}/tmp`, systemTemp: `${OWN}/shared-tmp` },
  toolchains: [
    { path: `${HOME}/.nvm`, real: `${HOME}/.nvm`, link: null },
    { path: `${HOME}/.pyenv`, real: `${HOME}/tools/pyenv`, link: 'tools/pyenv' },
  ],
  downloads: [{ at: `${HOME}/.npm/_cacache`, source: `${OWN}/home/.npm/_cacache` }],
  reads: [`${HOME}/src/library`],
  writes: [FOLDER],
  git: [],
  found: [
    { path: `${FOLDER}/.git`, access: 'read-only', kind: 'folder' },
    { path: `${FOLDER}/packages/api/.claude`, access: 'read-only', kind: 'folder' },
    { path: `${FOLDER}/secrets`, access: 'hidden', kind: 'folder' },
    { path: `${FOLDER}/.env`, access: 'hidden', kind: 'file' },
  ],
  hasImage: false,
  placeholders: [
    { at: `${FOLDER}/.claude`, source: `${OWN}/empty` },
    { at: `${FOLDER}/.mcp.json`, source: `${OWN}/nothing` },
  ],
  hides: [{ path: '/private/etc/master.passwd', isFolder: false }],
})
const rules = seatbeltRules(plan, { real: HOME, own: `${OWN}/home` })
const line = (more: { readonly port?: number | null; readonly argv?: readonly string[] } = {}) =>
  seatbeltLine({
    ...{
      rules,
      argv: more.argv ?? ['bash', '-c', 'make'],
      begin: ['ulimit -u 500'],
      port: more.port ?? null,
    },
    environment: [['HOME', `${OWN}/home`]],
    sockets: [],
  })

/** What commands may do at each path, on Linux and on macOS. */
const TABLE: readonly (readonly [path: string, may: 'write' | 'read' | 'nothing'])[] = [
  [`${FOLDER}/src/index.ts`, 'write'],
  [`${FOLDER}/packages/api/package.json`, 'write'],
  [`${OWN}/tmp/x`, 'write'],
  [`${HOME}/src/library/README.md`, 'read'],
  [`${HOME}/.nvm/versions/node`, 'read'],
  [`${HOME}/tools/pyenv/bin/python`, 'read'],
  ['/usr/bin/git', 'read'],
  [`${FOLDER}/.git/config`, 'read'],
  [`${FOLDER}/.git/hooks/pre-commit`, 'read'],
  [`${FOLDER}/packages/api/.claude/settings.json`, 'read'],
  [`${FOLDER}/secrets/key.pem`, 'nothing'],
  [`${FOLDER}/.env`, 'nothing'],
  [`${HOME}/src/neighbor/.env`, 'nothing'],
  [`${DATA}/settings.json`, 'nothing'],
  ['/Users/ben/notes.txt', 'nothing'],
  ['/private/etc/master.passwd', 'nothing'],
]

describe('what a command may do', () => {
  test.each(TABLE)('%s: %s', (path, may) => {
    const expected = { read: may !== 'nothing', write: may === 'write' }
    expect(onLinux(path), 'on Linux').toEqual(expected)
    const profile = profileOf(line())
    const onMac = {
      read: allows(profile, 'file-read-data', path),
      write: allows(profile, 'file-write-data', path) && allows(profile, 'file-write-create', path),
    }
    expect(onMac, 'on macOS').toEqual(expected)
  })

  test('private places of Linux are closed on macOS, where the private home is a folder of its own', () => {
    const profile = profileOf(line())
    for (const path of [`${HOME}/.ssh/id_rsa`, `${HOME}/.npmrc`, '/private/tmp/x', `${HOME}/.npm/_cacache/x`])
      for (const operation of ['file-read-data', 'file-write-data', 'file-write-create'])
        expect(allows(profile, operation, path), `${operation} ${path}`).toBe(false)
    for (const path of [`${OWN}/home/.config/x`, `${OWN}/home/.npm/_cacache/x`])
      expect(allows(profile, 'file-write-create', path), path).toBe(true)
  })

  test.each(['.claude', '.Claude', '.CLAUDE', '.mcp.json', '.MCP.json'])(
    'a missing %s is not made, in any spelling',
    (name) => {
      const profile = profileOf(line())
      for (const operation of ['file-write-create', 'file-write-data', 'file-write-unlink']) {
        expect(allows(profile, operation, `${FOLDER}/${name}`)).toBe(false)
        expect(allows(profile, operation, `${FOLDER}/${name}/settings.json`)).toBe(false)
      }
      expect(allows(profile, 'file-write-create', `${FOLDER}/x${name}`)).toBe(true)
    },
  )

  test('no folder around a kept or hidden file is moved away', () => {
    const profile = profileOf(line())
    for (const path of [
      `${FOLDER}/packages`,
      `${FOLDER}/packages/api`,
      `${FOLDER}/secrets`,
      `${FOLDER}/.env`,
      FOLDER,
    ])
      expect(allows(profile, 'file-write-unlink', path), path).toBe(false)
    expect(allows(profile, 'file-write-unlink', `${FOLDER}/src`)).toBe(true)
  })
})

describe('the network', () => {
  test('is closed', () => {
    const profile = profileOf(line())
    expect(profile.filter(({ operations }) => operations.some((one) => one.startsWith('network')))).toEqual(
      [],
    )
    expect(line()).not.toMatch(/PROXY/i)
  })

  test('is the port of the proxy alone, where hosts are allowed', () => {
    const outbound = profileOf(line({ port: 41_999 })).filter(({ operations }) =>
      operations.some((one) => one.startsWith('network')),
    )
    expect(outbound.length).toBeGreaterThan(0)
    for (const rule of outbound) expect(rule.text).toContain('"ip",""localhost:41999""')
  })
})

test('the command runs with its own home and its limits, its arguments as they are', () => {
  const text = line({ argv: ['bash', '-c', `echo "it's" $HOME`] })
  expect(text).toContain('/usr/bin/sandbox-exec -p ')
  const words = shellWords(text)
  const inner = words.at(-1) ?? ''
  expect(inner).toContain(`export HOME='${OWN}/home'; ulimit -u 500; exec 'bash' '-c' `)
  expect(shellWords(inner.slice(inner.indexOf('exec ')))).toEqual(['exec', 'bash', '-c', `echo "it's" $HOME`])
})

describe('the private home', () => {
  const base = mkdtempSync(join(tmpdir(), 'troupe-seatbelt-'))
  afterEach(() => rmSync(base, { recursive: true, force: true }))

  test('has links to toolchains; what a command made there stays', () => {
    expect(rules.links).toEqual([
      { at: `${OWN}/home/.nvm`, target: `${HOME}/.nvm` },
      { at: `${OWN}/home/.pyenv`, target: 'tools/pyenv' },
      { at: `${OWN}/home/tools/pyenv`, target: `${HOME}/tools/pyenv` },
      { at: `${OWN}/home/src/library`, target: `${HOME}/src/library` },
    ])
    const links = rules.links.map(({ at, target }) => ({ at: at.replace(`${OWN}/home`, base), target }))
    mkdirSync(join(base, '.nvm'), { recursive: true })
    makeLinks({ links })
    expect(lstatSync(join(base, '.nvm')).isDirectory()).toBe(true)
    expect(readlinkSync(join(base, 'tools/pyenv'))).toBe(`${HOME}/tools/pyenv`)
    unlinkFolder(join(base, 'tools/pyenv'))
    expect(existsSync(join(base, 'tools/pyenv'))).toBe(false)
  })
})

// ---- Linux --------------------------------------------------------------------------------------

/** What the innermost mount lets a command do with a file of the host. */
function onLinux(path: string): { readonly read: boolean; readonly write: boolean } {
  const around = [...plan]
    .filter(({ at }) => path === at || path.startsWith(`${at}/`))
    .sort((a, b) => a.at.length - b.at.length)
    .at(-1) satisfies Mount | undefined
  if (around === undefined) return { read: true, write: false }
  if (around.kind !== 'read' && around.kind !== 'write') return { read: false, write: false }
  const isHost = around.source === around.at
  return { read: isHost, write: isHost && around.kind === 'write' }
}

// ---- Seatbelt -----------------------------------------------------------------------------------

type Expression = string | readonly Expression[]
interface Rule {
  readonly action: string
  readonly operations: readonly string[]
  readonly filters: readonly Expression[]
  readonly text: string
}

/** The rules of the profile in a line of bash. */
function profileOf(text: string): readonly Rule[] {
  const words = shellWords(text)
  const profile = words[words.indexOf('-p') + 1] ?? ''
  return parse(profile.replaceAll(/^;.*$/gm, '')).flatMap((expression) => {
    const [action, ...rest] = expression
    if (typeof expression === 'string' || (action !== 'allow' && action !== 'deny')) return []
    const operations = rest.filter((each) => typeof each === 'string')
    const filters = rest.filter((each) => typeof each !== 'string' && each[0] !== 'with')
    return [{ action, operations, filters, text: JSON.stringify(expression).replaceAll('\\"', '"') }]
  })
}

/** The last rule that fits decides. */
function allows(profile: readonly Rule[], operation: string, path: string): boolean {
  const rule = profile.findLast(
    ({ operations, filters }) =>
      operations.some((each) => each === 'default' || isOf(operation, each)) &&
      (filters.length === 0 || filters.some((filter) => fits(filter, path))),
  )
  return rule?.action === 'allow'
}

const isOf = (operation: string, named: string): boolean =>
  named === operation || (named.endsWith('*') && operation.startsWith(named.slice(0, -1)))

function fits(filter: Expression, path: string): boolean {
  const [kind, ...of] = filter
  const [first] = of
  const named =
    typeof first === 'string'
      ? first.replace(/^#?"(.*)"$/s, (_, text: string) => JSON.parse(`"${text}"`))
      : ''
  switch (kind) {
    case 'literal':
      return path === named
    case 'subpath':
      return path === named || path.startsWith(`${named}/`)
    case 'regex':
      return new RegExp(named).test(path)
    case 'require-all':
      return of.every((each) => fits(each, path))
    case 'require-not':
      return first !== undefined && !fits(first, path)
    // The files of the table are plain ones.
    case 'vnode-type':
      return false
    default:
      throw new Error(`A filter that this test does not know: ${JSON.stringify(filter)}`)
  }
}

/** The expressions of a profile; strings keep their quotes. */
function parse(text: string): readonly Expression[] {
  const stack: Expression[][] = [[]]
  for (const [token] of text.matchAll(/#?"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g)) {
    if (token === '(') stack.push([])
    else if (token === ')') {
      const done = stack.pop() ?? []
      stack.at(-1)?.push(done)
    } else stack.at(-1)?.push(token)
  }
  return stack[0] ?? []
}

/** The words of a line of bash that has quotes and backslashes, and nothing else of the shell. */
function shellWords(text: string): readonly string[] {
  const words: string[] = []
  for (const [word] of text.matchAll(/(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\])+/g))
    words.push(
      word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, (_, plain, double, escaped) =>
        typeof plain === 'string'
          ? plain
          : typeof double === 'string'
            ? double.replaceAll(/\\(["\\$`!])/g, '$1')
            : escaped,
      ),
    )
  return words
}
