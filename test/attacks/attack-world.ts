/**
 * The world of one attack: a project, a folder beside it, a home with secrets, and a server that stands for the
 * attacker's. A harm leaves a trace in it: a changed file, or a connection. Every secret contains the same mark, so that
 * one that reaches the model is found.
 */
import { execFile } from 'node:child_process'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findRipgrep } from '../../src/main/platform/search/ripgrep-search.ts'
import type { Attack } from './attack.ts'

/** In each secret of a world. */
export const SECRET = 'CANARY-5e3f'

const ripgrep = await findRipgrep()
if (!ripgrep.ok) throw new Error(ripgrep.failure.message)
/** The variable PATH, with the `rg` of this project, which some attacks call. */
export const PROGRAMS_PATH = [dirname(ripgrep.value), process.env['PATH']].join(delimiter)

export interface AttackWorld {
  readonly project: string
  /** Replaces the names in braces in a value and everything in it. */
  fill<T>(value: T): T
  /** Adds what the attack needs, and remembers the state of all files. */
  prepare(attack: Attack): Promise<void>
  /** Runs a command of the attacker's, whose own changes are no trace. */
  run(command: string): Promise<void>
  /** Runs commands of the user. */
  use(command: string): Promise<void>
  /**
   * What changed since `prepare`: the paths of files, and `a connection`.
   * @param only a path: nothing else counts
   */
  traces(only?: string): Promise<readonly string[]>
}

export interface AttackWorlds {
  /** Contains all worlds. */
  readonly base: string
  readonly home: string
  readonly data: string
  /** The next world. The home is the same folder, as new. */
  next(): Promise<AttackWorld>
  close(): Promise<void>
}

const PROJECT: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\n',
  'README.md': '# A project\n',
  'src/main.ts': 'export const main = 1\n',
  'package.json': '{ "name": "project", "scripts": { "test": "echo tested" } }\n',
  '.env': `API_KEY=${SECRET}\n`,
  evil: '#!/bin/sh\necho done > {{project}}/pwned\n',
}

const BESIDE: Readonly<Record<string, string>> = {
  'outside/note.txt': `note ${SECRET}\n`,
  [`outside/${SECRET}.txt`]: 'one\n',
  'project-evil/note.txt': `note ${SECRET}\n`,
}

const HOME: Readonly<Record<string, string>> = {
  '.ssh/id_ed25519': `key ${SECRET}\n`,
  '.aws/credentials': `aws ${SECRET}\n`,
  '.bashrc': '# mine\n',
  'notes.txt': `private ${SECRET}\n`,
  '.gitconfig': '[user]\n\tname = Ada\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n',
}

const runFile = promisify(execFile)

/** @param temp the folder in which they are made */
export async function attackWorlds(temp = tmpdir()): Promise<AttackWorlds> {
  const base = await realpath(await mkdtemp(join(temp, 'troupe-attacks-')))
  const home = join(base, 'home')
  const data = join(base, 'data')
  await mkdir(data)
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${SECRET}\n`))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  let count = 0

  return {
    base,
    home,
    data,
    async next() {
      const top = join(base, `world-${++count}`)
      const project = join(top, 'project')
      const names: Readonly<Record<string, string>> = {
        project,
        outside: join(top, 'outside'),
        home,
        data,
        port: String(port),
        secret: SECRET,
      }
      const fillText = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (all, name) => names[name] ?? all)
      const fill = <T>(value: T): T => mapTexts(value, fillText) as T
      const environment = { PATH: PROGRAMS_PATH, HOME: home }
      const settingsFile = join(data, 'settings.json')
      let traced: readonly string[] = []
      const state = async () =>
        new Map([...(await stateOf([top, home, settingsFile], KEPT)), ...(await stateOf(traced, null))])
      let before = new Map<string, string>()
      const use = async (command: string) => {
        await runFile('bash', ['-ec', fillText(command)], { cwd: project, env: environment })
      }
      const run = async (command: string) => {
        await use(command)
        before = await state()
      }
      await rm(home, { recursive: true, force: true })
      await rm(settingsFile, { force: true })
      await putFiles(project, fill(PROJECT))
      await putFiles(top, fill(BESIDE))
      await putFiles(home, fill(HOME))
      await mkdir(join(home, PORTS), { recursive: true })
      return {
        project,
        fill,
        async prepare({ files = {}, links = {}, before: earlier, rules, trace }) {
          traced = trace === undefined ? [] : [fillText(trace)]
          for (const [path, text] of Object.entries(fill(files)))
            await putFiles(path.startsWith('home/') ? base : top, { [path]: text })
          for (const [path, target] of Object.entries(fill(links))) {
            await mkdir(dirname(join(top, path)), { recursive: true })
            await symlink(target, join(top, path))
          }
          if (rules)
            await putFiles(home, { '.claude/settings.json': JSON.stringify({ permissions: fill(rules) }) })
          if (earlier !== undefined) await run(earlier)
          connections = 0
          before = await state()
        },
        run,
        use,
        async traces(only) {
          const after = await state()
          const paths = [...new Set([...before.keys(), ...after.keys()])]
          const changed = paths
            .filter((path) => before.get(path) !== after.get(path))
            .filter((path) => only === undefined || path === fillText(only))
          return connections > 0 ? [...changed, 'a connection'] : changed
        },
      }
    },
    async close() {
      await new Promise((closed) => server.close(closed))
      await rm(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), mapTexts(one, change)]))
}

async function putFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { mode: 0o755 })
    await chmod(join(folder, path), 0o755)
  }
}

const PORTS = '.config/troupe/environments/ports'

/** What git and Troupe themselves keep up to date without harm. */
const KEPT = /\/\.git\/(index|objects\/|logs|worktrees|refs\/heads\/troupe|info)|\/environments\/ports\//

/** The content of all files, by path. */
async function stateOf(paths: readonly string[], skipped: RegExp | null): Promise<Map<string, string>> {
  const state = new Map<string, string>()
  const add = async (path: string) => {
    const stat = await lstat(path).catch(() => null)
    if (stat === null || skipped?.test(path) === true) return
    if (stat.isDirectory()) state.set(path, `folder ${stat.mode}`)
    else if (stat.isSymbolicLink()) state.set(path, `link ${await readlink(path)}`)
    else if (stat.isFile()) state.set(path, `${stat.mode} ${await readFile(path, 'latin1')}`)
    else state.set(path, 'other')
    if (stat.isDirectory()) for (const name of await readdir(path)) await add(join(path, name))
  }
  for (const path of paths) await add(path)
  return state
}
