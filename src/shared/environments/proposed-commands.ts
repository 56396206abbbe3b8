/** Proposes set-up and run commands from what a folder has. Nothing of it is run before the user has confirmed it. */
import { jsonOrUndefined } from '../kernel/json.ts'
import type { EnvironmentCommands } from './environment.ts'

/** The files that proposals are made from. */
export const PROPOSAL_FILES: readonly string[] = [
  ...['Makefile', 'package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', '.yarnrc.yml'],
  ...['.npmrc', 'vite.config.ts', 'vite.config.js', 'vite.config.mjs'],
  ...['bun.lock', 'bun.lockb', 'pyproject.toml', 'uv.lock', 'poetry.lock', 'requirements.txt'],
  ...['manage.py', 'Cargo.toml', 'Cargo.lock', 'go.mod', 'Gemfile', 'composer.json'],
]

interface Proposal {
  readonly source: string
  readonly commands: Partial<EnvironmentCommands>
}

/** The host of the registry that a package manager of this machine uses; null: unknown. */
export type UsualRegistry = (manager: 'npm' | 'yarn') => string | null

/** The likeliest first. @param files their texts by path; a large or binary one may be empty */
export function proposedCommands(
  files: ReadonlyMap<string, string>,
  usual: UsualRegistry,
): readonly Proposal[] {
  return [makefile, node, python, rust, go, ruby, php].flatMap((propose) => {
    const proposal = propose(files, usual)
    return proposal === null ? [] : [proposal]
  })
}

type Propose = (files: ReadonlyMap<string, string>, usual: UsualRegistry) => Proposal | null

const serving = (name: string, command: string, listens: number | null = null) => [
  { name, command, portVariable: listens === null ? 'PORT' : null, listens },
]

/** Only targets with these names: an `install` often changes the system. */
const makefile: Propose = (files) => {
  const text = files.get('Makefile')
  if (text === undefined) return null
  const targets = new Set([...text.matchAll(/^([A-Za-z0-9][\w.-]*)\s*:(?!=)/gm)].map(([, name]) => name))
  const setup = ['setup', 'bootstrap'].find((name) => targets.has(name))
  const run = ['dev', 'serve', 'run'].find((name) => targets.has(name))
  return {
    source: 'Makefile',
    commands: {
      setup: setup === undefined ? [] : [`make ${setup}`],
      run: run === undefined ? [] : serving(run, `make ${run}`),
    },
  }
}

const node: Propose = (files, usual) => {
  const text = files.get('package.json')
  if (text === undefined) return null
  const read = jsonOrUndefined(text)
  const { scripts, packageManager } = (typeof read === 'object' && read !== null ? read : {}) as {
    readonly scripts?: unknown
    readonly packageManager?: unknown
  }
  const known = (typeof scripts === 'object' && scripts !== null ? scripts : {}) as Record<string, unknown>
  const named = typeof packageManager === 'string' ? packageManager.split('@', 1)[0] : undefined
  const manager = files.has('pnpm-lock.yaml') || named === 'pnpm' ? 'pnpm' : managerBeside(files, named)
  const run = ['dev', 'start', 'serve'].find((name) => Object.hasOwn(known, name))
  return {
    source: 'package.json',
    commands: {
      setup: [installOf(manager, files)],
      run:
        run === undefined ? [] : serving(run, `${manager} run ${run}`, listensOf(String(known[run]), files)),
      hosts: nodeHosts(manager, files, usual),
    },
  }
}

const LAST_PORT = 65_535

/** The port of a script that does not heed PORT: one that it names itself, or that of its program. Null: it heeds PORT. */
function listensOf(script: string, files: ReadonlyMap<string, string>): number | null {
  const named = /(?:^|\s)(?:--port[= ]|-p |PORT=)(\d{4,5})\b/.exec(script)?.[1]
  if (named !== undefined && Number(named) <= LAST_PORT) return Number(named)
  if (/(?:^|\s)astro(?: dev|$)/.test(script)) return 4321
  if (!/(?:^|\s)vite(?! (?:build|preview))(?:\s|$)/.test(script)) return null
  const config = ['vite.config.ts', 'vite.config.js', 'vite.config.mjs'].map((name) => files.get(name) ?? '')
  const configured = Number(/\bport:\s*(\d{4,5})\b/.exec(config.join('\n'))?.[1])
  return configured <= LAST_PORT ? configured : 5173
}

/** Those of the lock file and of .npmrc, and the machine's registry where npm's or yarn's lock file names none. */
function nodeHosts(
  manager: Manager,
  files: ReadonlyMap<string, string>,
  usual: UsualRegistry,
): readonly string[] {
  const locked = hostsIn(['package-lock.json', 'yarn.lock'], files)
  const sources = hostsIn(['.npmrc', 'pnpm-lock.yaml'], files)
  const isNamed = locked.length > 0 || /^registry\s*=/m.test(files.get('.npmrc') ?? '')
  const other = isNamed ? null : usual(manager === 'yarn' ? 'yarn' : 'npm')
  return [...new Set([...locked, ...sources, ...(other === null ? [] : [other])])]
}

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

const managerBeside = (files: ReadonlyMap<string, string>, named: string | undefined) => {
  if (files.has('yarn.lock') || named === 'yarn') return 'yarn'
  return files.has('bun.lock') || files.has('bun.lockb') || named === 'bun' ? 'bun' : 'npm'
}

/** Set-ups at once share a cache, which Yarn 1 breaks if two of it write there. */
const YARN_MUTEX = `--mutex file:\${TMPDIR:-/tmp}/yarn-mutex`

/** Without a lock file none is written: it would be part of the agent's work. */
function installOf(manager: Manager, files: ReadonlyMap<string, string>): string {
  switch (manager) {
    case 'npm':
      return files.has('package-lock.json') ? 'npm ci' : 'npm install --no-package-lock'
    case 'pnpm':
      return `pnpm install ${files.has('pnpm-lock.yaml') ? '--frozen-lockfile' : '--no-lockfile'}`
    case 'yarn':
      if (files.has('.yarnrc.yml') || /^__metadata:/m.test(files.get('yarn.lock') ?? ''))
        return 'yarn install --immutable'
      return `yarn install ${files.has('yarn.lock') ? '--frozen-lockfile' : '--no-lockfile'} ${YARN_MUTEX}`
    case 'bun':
      return `bun install ${files.has('bun.lock') || files.has('bun.lockb') ? '--frozen-lockfile' : '--no-save'}`
  }
}

const python: Propose = (files) => {
  const setup = pythonSetup(files)
  const serves = files.has('manage.py')
  const locked = hostsIn(['uv.lock'], files)
  if (setup === null && !serves) return null
  const start = setup?.startsWith('uv')
    ? 'uv run python'
    : setup?.includes('.venv')
      ? '.venv/bin/python'
      : 'python3'
  return {
    source:
      ['pyproject.toml', 'requirements.txt', 'manage.py'].find((name) => files.has(name)) ?? 'manage.py',
    commands: {
      setup: setup === null ? [] : [setup],
      run: serves
        ? [
            {
              name: 'web',
              command: `${start} manage.py runserver 127.0.0.1:$TROUPE_PORT`,
              portVariable: null,
              listens: null,
            },
          ]
        : [],
      hosts: locked,
    },
  }
}

function pythonSetup(files: ReadonlyMap<string, string>): string | null {
  if (files.has('uv.lock')) return 'uv sync'
  if (files.has('poetry.lock')) return 'poetry install'
  if (files.has('requirements.txt'))
    return 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'
  return files.has('pyproject.toml') ? 'python3 -m venv .venv && .venv/bin/pip install -e .' : null
}

/** A proposal of one set-up command where a file is there. */
const only =
  (source: string, command: string, locks: readonly string[] = []): Propose =>
  (files) =>
    files.has(source) ? { source, commands: { setup: [command], hosts: hostsIn(locks, files) } } : null

const rust = only('Cargo.toml', 'cargo build', ['Cargo.lock'])
const go = only('go.mod', 'go mod download')
const ruby = only('Gemfile', 'bundle install')
const php = only('composer.json', 'composer install')

const MOST_HOSTS = 10

/** How lock files say where a package comes from. Those of npm also name pages of funding, which are other keys. */
const SOURCES: Readonly<Record<string, RegExp>> = {
  'package-lock.json': /"resolved":\s*"(?:git\+)?https:\/\/([a-z0-9.-]+)\//gi,
  'yarn.lock': /^\s+resolved\s+"https:\/\/([a-z0-9.-]+)\//gim,
  // Only of packages that are in no registry.
  'pnpm-lock.yaml': /\btarball:\s*['"]?https:\/\/([a-z0-9.-]+)\//gi,
  '.npmrc': /^\s*(?:@[\w.-]+:)?registry\s*=\s*"?https:\/\/([a-z0-9.-]+)/gim,
  'uv.lock': /\b(?:registry|url)\s*=\s*"https:\/\/([a-z0-9.-]+)\//gi,
  'Cargo.lock': /"(?:registry|sparse|git)\+https:\/\/([a-z0-9.-]+)\//gi,
}

/** The hosts from which lock files say that their packages come. */
function hostsIn(names: readonly string[], files: ReadonlyMap<string, string>): readonly string[] {
  const found = new Set<string>()
  for (const name of names)
    for (const [, host = ''] of (files.get(name) ?? '').matchAll(SOURCES[name] ?? /$^/g)) {
      if (host.includes('.')) found.add(host.toLowerCase())
      if (found.size >= MOST_HOSTS) return [...found]
    }
  return [...found]
}
