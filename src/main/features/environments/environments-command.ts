/** `troupe environments list`, `approve`, `setup`, `run`, `stop` and `log`. */
import type { Environments } from '../../../shared/environments/contract.ts'
import { imageText, type WorktreeSetup } from '../../../shared/environments/environment.ts'
import type {
  EnvironmentsSnapshot,
  FolderCommands,
  OutputLine,
  WorktreeEnvironment,
} from '../../../shared/environments/environments.ts'
import { sharedText } from '../../../shared/environments/shareable-setup.ts'
import { durationOf } from '../../../shared/kernel/amounts.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'

export interface EnvironmentsContext extends Printing {
  readonly environments: Environments
  readonly folder: string
  readonly now: () => number
  /** Ctrl C. */
  readonly interrupted: AbortSignal
}

/** The values of `troupe environments …`. */
export type EnvironmentsCommand = { readonly json: boolean } & (
  | { readonly verb: 'environments-list' | 'environments-approve' }
  | { readonly verb: 'environments-setup'; readonly name: string }
  | {
      readonly verb: 'environments-run' | 'environments-stop'
      readonly name: string
      readonly command: string | null
    }
  | {
      readonly verb: 'environments-log'
      readonly name: string
      readonly source: string | null
      readonly lines: number | null
    }
)

/** @returns the exit code */
export async function environmentsCommand(
  command: EnvironmentsCommand,
  context: EnvironmentsContext,
): Promise<number> {
  const { environments, folder } = context
  const snapshot = await environments.state(folder)
  if (snapshot.problem !== null) return failed(snapshot.problem, context)
  if (!('name' in command))
    return command.verb === 'environments-list'
      ? list(snapshot, command, context)
      : approve(snapshot, context)
  const found = findWorktree(snapshot, command.name)
  if (typeof found === 'string') return failed(found, context)
  const key = { folder, id: found.id }
  switch (command.verb) {
    case 'environments-log':
      return printLog(command, key, context)
    case 'environments-stop':
      return said(await environments.stop({ ...key, name: command.command }), 'Stopped.\n', context)
    case 'environments-setup':
      return follow(() => environments.setUp(key), key, context)
    case 'environments-run':
      return follow(() => environments.run({ ...key, name: command.command }), key, context)
  }
}

type Key = Parameters<Environments['setUp']>[0]

function failed(message: string, { errors }: EnvironmentsContext): number {
  errors.write(`${oneLine(message)}\n`)
  return EXIT.failed
}

function said(done: Result<void>, text: string, context: EnvironmentsContext): number {
  if (!done.ok) return failed(done.failure.message, context)
  context.output.write(text)
  return EXIT.done
}

/** The worktree with this id or branch, or the only one whose id or branch begins like this. */
function findWorktree({ worktrees }: EnvironmentsSnapshot, name: string): WorktreeEnvironment | string {
  const exact = worktrees.find(({ id, branch }) => id === name || branch === name)
  if (exact !== undefined) return exact
  const [first, second] = worktrees.filter(({ id, branch }) => id.startsWith(name) || branch.startsWith(name))
  if (first === undefined) return `There is no worktree "${name}". See the ids with: troupe environments list`
  return second === undefined ? first : `Several worktrees begin with "${name}": ${first.id}, ${second.id}.`
}

function list(
  snapshot: EnvironmentsSnapshot,
  { json }: EnvironmentsCommand,
  { output, now }: EnvironmentsContext,
): number {
  const { commands, worktrees } = snapshot
  if (json) {
    output.write(jsonLine({ type: 'environment-commands', ...commands }))
    for (const each of worktrees) output.write(jsonLine({ type: 'environment', ...each }))
    return EXIT.done
  }
  output.write(commands === null ? '' : `${commandLines(commands)}\n`)
  for (const { id, task, state, ports } of worktrees) {
    output.write(`${id}  ${oneLine(task)}\n  set-up: ${setupText(state.setup, now())}\n`)
    for (const { name, address } of ports) {
      const run = state.runs[name]
      const is = run?.kind === 'running' ? (run.isUp ? 'up' : 'starting') : (run?.error ?? 'reserved')
      output.write(`  ${name}: ${address}  ${oneLine(is)}\n`)
    }
    if (ports.length === 0 && state.base !== null)
      output.write(`  ports: ${state.base} to ${state.base + 9}\n`)
  }
  if (worktrees.length === 0)
    output.write('No worktrees here. An agent with isolation: worktree makes one.\n')
  return EXIT.done
}

/** One line. @param now ms since the epoch */
function setupText(setup: WorktreeSetup, now: number): string {
  switch (setup.kind) {
    case 'none':
      return 'not begun'
    case 'running':
      return `running ${oneLine(setup.command ?? '')} (${setup.index + 1} of ${Math.max(1, setup.of)}), for ${durationOf(now - setup.since)}`
    case 'ready':
      return `ready, ${setup.shared === undefined ? '' : `shared ${oneLine(sharedText(setup.shared))}, `}took ${durationOf(setup.tookMs)}`
    case 'failed':
      return `failed${setup.command === null ? '' : ` in ${oneLine(setup.command)}`}${setup.exitCode === null ? '' : ` with exit code ${setup.exitCode}`}: ${oneLine(setup.error)}`
    case 'skipped':
      return 'skipped'
  }
}

const STATES = {
  none: 'There are no commands for worktrees. Write them into .troupe/environment.yaml.',
  invalid: 'They do not run until the mistake is corrected.',
  new: 'They wait for your approval: troupe environments approve',
  changed: 'They have changed since you approved them, and wait: troupe environments approve',
  approved: 'They are approved as they are now.',
  refused: 'You refused them. To let them run: troupe environments approve',
} as const

function commandLines(found: FolderCommands): string {
  const { commands, sources, isProposed, scripts, problems, approval } = found
  const parts = [
    ...(commands.image === undefined ? [] : [`  image     ${imageText(commands.image)}`]),
    ...commands.setup.map((command) => `  setup     ${oneLine(command)}`),
    ...commands.run.map(({ name, command }) => `  run       ${name}: ${oneLine(command)}`),
    ...commands.teardown.map((command) => `  teardown  ${oneLine(command)}`),
    ...commands.hosts.map((host) => `  host      ${host}`),
    ...scripts.map((script) => `  script    ${oneLine(script)}`),
  ]
  const from = sources.length === 0 ? '' : ` from ${sources.join(', ')}`
  const head =
    parts.length === 0 ? [] : [`Commands for worktrees${isProposed ? ', proposed' : ''}${from}:`, ...parts]
  return [...head, ...problems.map((problem) => `problem: ${oneLine(problem)}`), STATES[approval.state]].join(
    '\n',
  )
}

async function approve(
  { commands, folder }: EnvironmentsSnapshot,
  context: EnvironmentsContext,
): Promise<number> {
  if (commands === null) return failed(STATES.none, context)
  const { digest } = commands
  const done = await context.environments.decide({ folder, digest, decision: 'approved' })
  const shown = commandLines({ ...commands, approval: { state: 'approved' } })
  return said(done, `${shown}\nCommands that change ask again.\n`, context)
}

async function printLog(
  command: EnvironmentsCommand & { readonly verb: 'environments-log' },
  key: Key,
  context: EnvironmentsContext,
): Promise<number> {
  const { source, json } = command
  const read = await context.environments.log({ ...key, source, lines: command.lines ?? 100 })
  if (!read.ok) return failed(read.failure.message, context)
  for (const line of read.value.lines)
    context.output.write(json ? jsonLine({ type: 'log', ...line }) : logText(line))
  return EXIT.done
}

const logText = ({ at, source, text }: OutputLine): string =>
  `${new Date(at).toISOString().slice(11, 23)}  ${source.padEnd(8)}  ${oneLine(text)}\n`

/** Prints what is logged until nothing of the worktree runs here any more. Ctrl C ends what runs. */
async function follow(
  begin: () => Promise<Result<void>>,
  key: Key,
  { environments, output, interrupted, ...context }: EnvironmentsContext,
): Promise<number> {
  const unfollow = environments.follow(key, (line) => output.write(logText(line)))
  const stop = () => void environments.stop({ ...key, name: null })
  interrupted.addEventListener('abort', stop, { once: true })
  try {
    const begun = await begin()
    if (!begun.ok) return failed(begun.failure.message, { ...context, environments, output, interrupted })
    await environments.idle(key)
  } finally {
    unfollow()
    interrupted.removeEventListener('abort', stop)
  }
  if (interrupted.aborted) return EXIT.interrupted
  const { worktrees } = await environments.state(key.folder)
  const after = worktrees.find(({ id }) => id === key.id)?.state.setup
  return after?.kind === 'failed' ? EXIT.failed : EXIT.done
}
