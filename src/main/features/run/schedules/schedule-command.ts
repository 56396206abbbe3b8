/** `troupe schedule …`: runs that a timer of the system starts. */
import { appendFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, type Result } from '../../../../shared/kernel/result.ts'
import { type CommandLineRoot, ownCommand } from '../../../command-line.ts'
import { folderAt } from '../../../platform/command-line/given-paths.ts'
import {
  EXIT,
  failed,
  isYes,
  jsonLine,
  oneLine,
  type Spoken,
  table,
} from '../../../platform/command-line/terminal.ts'
import { quotedWord } from '../../../platform/shell/quoted-word.ts'
import { replaceFile } from '../../../platform/system/atomic-file.ts'
import { identityOf, isRunning } from '../../../platform/system/process-identity.ts'
import { nextStart, readScheduleTime, type ScheduleTime, scheduleTimeText } from './schedule-time.ts'
import { createSystemTimers } from './system-timers.ts'

export interface NewSchedule {
  readonly name: string
  readonly time: ScheduleTime
  /** The command line after `troupe`: `run …` or `best …`. */
  readonly line: readonly string[]
  /** Whether the line limits what the run may cost or take. */
  readonly isLimited: boolean
  /** Whether the line needs no access to a model. */
  readonly isKeyless: boolean
}

const schedule = z.object({
  at: z.string(),
  line: z.array(z.string()),
  /** Absolute. */
  folder: z.string(),
  timer: z.enum(['systemd', 'cron']),
})
type Schedule = Readonly<z.infer<typeof schedule>>

const lastRun = z.object({ startedAt: z.number(), endedAt: z.number(), exitCode: z.number() })

const runningRun = z.object({ pid: z.number(), start: z.string() })

/** The log is begun anew from this size on. Bytes. */
const LONGEST_LOG = 1_000_000

type Root = Pick<CommandLineRoot, 'dataFolder' | 'home' | 'given' | 'userSettings' | 'clock'>

const placeOf = ({ dataFolder }: Pick<Root, 'dataFolder'>, name: string) => {
  const folder = join(dataFolder, 'schedules', name)
  const file = (ending: string) => join(folder, ending)
  return {
    folder,
    schedule: file('schedule.json'),
    script: file('start.sh'),
    log: file('log.txt'),
    last: file('last.json'),
    running: file('running.json'),
  }
}

const timersOf = ({ dataFolder, home, given }: Root) =>
  createSystemTimers({ dataFolder, home, environment: given.forChildren })

/** Sets a schedule; one of the same name is replaced. @returns the exit code */
export async function addSchedule(wanted: NewSchedule, root: Root & Spoken): Promise<number> {
  const { output, errors, given, userSettings, dataFolder } = root
  const { name, time, line } = wanted
  const place = placeOf(root, name)
  const cwd = folderAt('.')
  if (!cwd.ok) return failed(root, cwd.failure.message)
  const before = await read(place.schedule, schedule)
  if (before !== null && root.ask !== null) {
    const answer = await root.ask(`Replace the schedule ${name} (${before.at}: ${lineText(before)})? [y/N] `)
    if (!isYes(answer)) return failed(root, 'Nothing was changed.')
  }
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
  const environment = { PATH: given.forChildren['PATH'] ?? '', TROUPE_HOME: dataFolder }
  await writeFile(place.script, scriptText({ name, environment, log: place.log }), { mode: 0o700 })
  const timers = timersOf(root)
  const set = await timers.set({ name, time, script: place.script })
  if (!set.ok) return failed(root, set.failure.message)
  if (before !== null && before.timer !== set.value) await timers.remove(name, before.timer)
  const made: Schedule = { at: scheduleTimeText(time), line: [...line], folder: cwd.value, timer: set.value }
  await replaceFile(place.schedule, `${JSON.stringify(made, null, 2)}\n`, { durable: true })
  const next = new Date(nextStart(time, root.clock.now())).toLocaleString('en-US', NEXT)
  output.write(
    `${name}: ${made.at}, next ${next}, by ${made.timer}. In ${oneLine(cwd.value)}: ${lineText(made)}\n`,
  )
  if (!wanted.isLimited)
    errors.write(
      'troupe: This run has no limit of its own. --max-usd, --max-tokens or --max-minutes sets one.\n',
    )
  const hasKey =
    userSettings.apiKeyHelper !== null ||
    Object.keys(userSettings.env).some((key) => /^ANTHROPIC_(API_KEY|AUTH_TOKEN)$/.test(key))
  if (!wanted.isKeyless && !hasKey)
    errors.write(
      'troupe: A timer does not have the variables of this shell. Give it access to the model: set apiKeyHelper, or ANTHROPIC_API_KEY in "env", in ~/.claude/settings.json.\n',
    )
  return EXIT.done
}

const NEXT = {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
} as const

/** Prints all schedules with their next and last run. @returns the exit code */
export async function listSchedules(
  { json }: { readonly json: boolean },
  root: Root & Spoken,
): Promise<number> {
  const { output, clock } = root
  const names = await readdir(join(root.dataFolder, 'schedules')).catch(() => [])
  const rows: (readonly string[])[] = []
  for (const name of names.toSorted()) {
    const place = placeOf(root, name)
    const one = await read(place.schedule, schedule)
    if (one === null) continue
    const time = readScheduleTime(one.at)
    const next = time.ok ? nextStart(time.value, clock.now()) : null
    const last = await read(place.last, lastRun)
    const runs = await isAtWork(place.running)
    if (json) output.write(jsonLine({ name, ...one, next, last, running: runs, log: place.log }))
    rows.push([
      name,
      one.at,
      runs ? 'running' : next === null ? '' : new Date(next).toLocaleString('en-US', NEXT),
      last === null
        ? 'never'
        : `${new Date(last.startedAt).toLocaleString('en-US', NEXT)}, exit code ${last.exitCode}`,
      one.folder,
      lineText(one),
    ])
  }
  if (json) return EXIT.done
  if (rows.length === 0)
    output.write('No schedules. Example: troupe schedule add nightly "daily 03:00" -- run "…" --max-usd 2\n')
  else output.write(`${table([['NAME', 'TIME', 'NEXT', 'LAST', 'FOLDER', 'COMMAND'], ...rows]).join('\n')}\n`)
  return EXIT.done
}

/** @returns the exit code */
export async function removeSchedule(
  { name }: { readonly name: string },
  root: Root & Spoken,
): Promise<number> {
  const place = placeOf(root, name)
  const one = await read(place.schedule, schedule)
  if (one === null) return failed(root, unknown(name))
  const removed = await timersOf(root).remove(name, one.timer)
  if (!removed.ok) return failed(root, removed.failure.message)
  await rm(place.folder, { recursive: true, force: true })
  root.output.write(`${name} is removed. Its conversations stay.\n`)
  return EXIT.done
}

/**
 * Runs a schedule now, in its folder. One that still runs is not started a second time.
 * @param carryOut runs a line of the command line
 * @returns the exit code of the run
 */
export async function runSchedule(
  { name }: { readonly name: string },
  root: Root & Spoken,
  carryOut: (line: readonly string[]) => Promise<Result<number>>,
): Promise<number> {
  const place = placeOf(root, name)
  const one = await read(place.schedule, schedule)
  if (one === null) return failed(root, unknown(name))
  if (await isAtWork(place.running)) {
    root.errors.write(`troupe: ${name} still runs. It is not started a second time.\n`)
    return EXIT.done
  }
  const log = await stat(place.log).catch(() => null)
  if (log !== null && log.size > LONGEST_LOG) await truncate(place.log)
  try {
    process.chdir(one.folder)
  } catch (thrown) {
    return failed(root, `The folder of ${name} can't be opened: ${messageOf(thrown)}`)
  }
  await writeFile(place.running, JSON.stringify(await identityOf(process.pid)))
  const startedAt = root.clock.now()
  if (log !== null)
    appendFileSync(place.log, `\n── ${new Date(startedAt).toISOString()} troupe ${lineText(one)}\n`)
  const ran = await carryOut(one.line)
  const exitCode = ran.ok ? ran.value : failed(root, ran.failure.message)
  const ended = { startedAt, endedAt: root.clock.now(), exitCode }
  await replaceFile(place.last, JSON.stringify(ended), { durable: false })
  await rm(place.running, { force: true })
  return exitCode
}

const unknown = (name: string) => `There is no schedule "${name}". To list all: troupe schedule list`

async function isAtWork(file: string): Promise<boolean> {
  const running = await read(file, runningRun)
  return running !== null && (await isRunning(running))
}

/** Null: missing or damaged. */
async function read<T>(file: string, form: z.ZodType<T>): Promise<T | null> {
  try {
    return form.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

const lineText = ({ line }: Pick<Schedule, 'line'>): string => line.map(quotedWord).join(' ')

/** What the timer starts: with the variables that a run needs, and its output in the log. */
function scriptText({
  name,
  environment,
  log,
}: {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  readonly log: string
}): string {
  const { ELECTRON_RUN_AS_NODE: asNode } = process.env
  const variables = { ...environment, ...(asNode !== undefined && { ELECTRON_RUN_AS_NODE: asNode }) }
  const exported = Object.entries(variables).map(([key, value]) => `export ${key}=${quotedWord(value)}\n`)
  const command = [...ownCommand(), 'schedule', 'run', name].map(quotedWord).join(' ')
  return `#!/bin/sh\n${exported.join('')}exec ${command} >> ${quotedWord(log)} 2>&1\n`
}
