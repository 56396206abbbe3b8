/** The command line as a separate process, started as users and scripts start it. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import type { ResultLine } from '../features/run/run-outcome.ts'
import { PROGRAM } from './program-file.ts'
import { withoutSandbox } from './without-sandbox.ts'

const FIXTURES = join(import.meta.dirname, '../../../e2e/fixtures')

/** A scenario that is also used by the tests of the window. */
export const fixture = (name: string): string => join(FIXTURES, `${name}.yaml`)

export interface Ended {
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  /** Resolves when the pattern was printed, on either output. */
  said(pattern: RegExp): Promise<void>
}

export interface CommandLine {
  /** A folder to work in. */
  readonly folder: string
  readonly dataFolder: string
  readonly home: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  git(...args: readonly string[]): void
  /** Starts `troupe …` in the folder; `input` is the whole standard input, null leaves it open. */
  start(args: readonly string[], environment?: Readonly<NodeJS.ProcessEnv>, input?: string | null): Started
  run(args: readonly string[], environment?: Readonly<NodeJS.ProcessEnv>, input?: string): Promise<Ended>
  /** Writes a scenario's YAML to a file. */
  scenario(yaml: string): Promise<string>
}

/**
 * A new folder, home and data folder, removed after the test with all processes that were started.
 * @param under the sandbox has its own devices, so a memory folder below /dev, as tests may have, is not in it
 */
export async function commandLine(
  settings: (folder: string) => object = () => ({}),
  under = tmpdir(),
): Promise<CommandLine> {
  const base = await realpath(await mkdtemp(join(under, 'troupe-cli-')))
  const [folder, home, dataFolder] = [join(base, 'project'), join(base, 'home'), join(base, 'data')]
  await Promise.all([mkdir(folder), mkdir(home), mkdir(dataFolder)])
  await writeFile(
    join(dataFolder, 'settings.json'),
    JSON.stringify({ ...withoutSandbox, ...settings(folder) }),
  )
  const running = new Set<Started>()
  onTestFinished(async () => {
    // Two signals make the program exit at once and kill its processes, which SIGKILL would leave behind.
    for (const { child } of running) for (let times = 0; times < 2; times++) child.kill('SIGINT')
    await Promise.all([...running].map(({ ended }) => ended))
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  })
  const cli: CommandLine = {
    folder,
    home,
    dataFolder,
    write: async (files) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), text)
      }
    },
    git: (...args) => {
      const who = ['-c', 'user.name=Ana', '-c', 'user.email=a@example.org']
      execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'pipe' })
    },
    scenario: async (yaml) => {
      const file = join(base, 'scenario.yaml')
      await writeFile(file, yaml)
      return file
    },
    start: (args, environment = {}, input = '') => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: home, TROUPE_HOME: dataFolder, ...environment },
      })
      // A command that reads no input may have ended before the input is written.
      child.stdin.on('error', () => undefined)
      if (input !== null) child.stdin.end(input)
      const started = follow(child)
      running.add(started)
      void started.ended.then(() => running.delete(started))
      return started
    },
    run: (args, environment, input) => cli.start(args, environment, input).ended,
  }
  return cli
}

function follow(child: ChildProcessWithoutNullStreams): Started {
  let output = ''
  let errors = ''
  const watchers = new Set<() => void>()
  const told = () => {
    for (const watcher of [...watchers]) watcher()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    told()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    told()
  })
  return {
    child,
    ended: new Promise((resolve) => {
      child.on('close', (code) => {
        resolve({ code, output, errors })
      })
    }),
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(output) && !pattern.test(errors)) return
          watchers.delete(check)
          resolve()
        }
        watchers.add(check)
        check()
        child.on('close', () =>
          reject(new Error(`The process ended without printing ${pattern}: ${output}${errors}`)),
        )
      }),
  }
}

interface JsonLines {
  readonly events: readonly AgentEvent[]
  readonly result: ResultLine
}

/** The output of `--json`: one event per line, then the result. */
export function jsonLines({ output }: Ended): JsonLines {
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentEvent | ResultLine)
  const result = lines.pop()
  if (result?.type !== 'result') throw new Error(`The last line is not a result: ${output.slice(-500)}`)
  return { events: lines as AgentEvent[], result }
}

/** Running processes whose command line contains this text. */
export function processesWith(text: string): readonly string[] {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return all.filter((line) => line.includes(text))
}
