import { basename } from 'node:path'
import type { Environments } from '../../../shared/environments/contract.ts'
import {
  type EnvironmentState,
  needsSetup,
  type RunCommand,
  runCommandOf,
} from '../../../shared/environments/environment.ts'
import { type FolderCommands, type OutputLine, portOf } from '../../../shared/environments/environments.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'
import { createEnvironmentLog, type OutputLog, readLog } from './environment-log.ts'
import { createEnvironmentReader, type EnvironmentReaderOptions, notTrusted } from './environment-reader.ts'
import { type RunnerOptions, type Running, runServer, runSetup, runTeardown } from './environment-runner.ts'
import { createWorks } from './environment-works.ts'
import type { PreparedImage } from './images.ts'
import { isFreePort } from './port-blocks.ts'
import type { SharedSetups } from './shared-setups.ts'

interface EnvironmentsOptions extends EnvironmentReaderOptions {
  readonly runner: RunnerOptions
  readonly shared: SharedSetups
  readonly now: () => number
  readonly onProblem: (message: string) => void
  readonly listeners: Set<(what: 'state' | 'output') => void>
}

/** What the program itself asks of environments, besides the window. */
export interface EnvironmentService extends Omit<Environments, 'watch'> {
  /** Reserves the ports of a worktree. @param isNew whether it was just made, and no agent knows it yet */
  prepare(location: WorktreeLocation, isNew: boolean): Promise<void>
  /** Begins the set-up of a worktree that has none yet, if its commands are approved. */
  begin(location: WorktreeLocation): Promise<void>
  /** Its commands and its state, for its agent. Null: the folder has no commands. */
  stateOf(
    location: Pick<WorktreeLocation, 'path'>,
  ): Promise<{ readonly commands: FolderCommands; readonly state: EnvironmentState } | null>
  /**
   * The image whose files the commands in this folder have; null: those of this machine. Fails with `sandbox` while it is
   * being made, and where it is gone.
   */
  imageOf(folder: string): Promise<Result<PreparedImage | null>>
  /** An agent begins to work in the worktree. */
  entered(location: Pick<WorktreeLocation, 'path'>): void
  /** Ends everything, and runs the tear-down if anything was set up. To be called before a worktree is removed. */
  leave(location: Pick<WorktreeLocation, 'path'>): Promise<void>
  /** Forgets a worktree that was removed. */
  removed(location: Pick<WorktreeLocation, 'path'>): Promise<void>
  /** Ends everything that runs in this program. */
  close(): Promise<void>
}

export function createEnvironments(options: EnvironmentsOptions): EnvironmentService {
  const { commands, records, ports, worktrees, runner, now, listeners } = options
  const { projectOf, find, usable, stateOf, withCommands, imageOf, snapshot } =
    createEnvironmentReader(options)
  const logs = new Map<string, OutputLog>()
  const lock = new KeyedLock()
  /** By the id of the worktree. */
  const followers = new Map<string, Set<(line: OutputLine) => void>>()
  const changed = (what: 'state' | 'output' = 'state') => {
    for (const listener of listeners) listener(what)
  }
  const works = createWorks({ folderOf: records.folderOf, onProblem: options.onProblem, onEnd: changed })

  const logOf = (path: string): OutputLog => {
    const log =
      logs.get(path) ??
      createEnvironmentLog({
        ...{ now, onProblem: options.onProblem, folder: records.folderOf(path) },
        onLine(line) {
          for (const follower of followers.get(basename(path)) ?? []) follower(line)
          changed('output')
        },
      })
    logs.set(path, log)
    return log
  }

  async function runningOf(
    record: WorktreeRecord,
    found: FolderCommands,
    { base, signal }: { readonly base: number; readonly signal: AbortSignal },
  ): Promise<Running> {
    const { id, path, branch, from } = record
    const project = await projectOf(record)
    return {
      worktree: { id, path, branch, from, project, base, environment: worktrees.environment(record) },
      commands: found,
      isAsApproved: commands.sameScripts(found, path),
      log: logOf(path),
      signal,
      emit: (event) => records.add(path, event),
    }
  }

  /** Resolves when the set-up has begun. */
  function setUp(record: WorktreeRecord): Promise<Result<void>> {
    return lock.withLock(record.path, async () => {
      const { path } = record
      if (works.namesOf(path).includes(SETUP))
        return fail({ type: 'running', message: 'The set-up runs already.' })
      if ((await records.stateOf(path)).setup.kind === 'running') return fail(elsewhere)
      const found = await usable(record)
      if (!found.ok) return found
      const base = await ports.reserve(path)
      if (!base.ok) return base
      await records.add(path, { type: 'setup-started', at: now() })
      works.start(path, SETUP, async (signal) => {
        const running = await runningOf(record, found.value, { base: base.value, signal })
        await runSetup(runner, running, options.shared.of(record, running))
      })
      return ok(undefined)
    })
  }

  /** The block of a worktree; another one if a port that is needed is taken by another program, and nothing uses it. */
  async function freeBlock(
    path: string,
    needed: (base: number) => readonly number[],
  ): Promise<Result<number>> {
    const base = await ports.reserve(path)
    if (!base.ok) return base
    const free = await Promise.all(needed(base.value).map(isFreePort))
    if (free.every(Boolean)) return base
    if (works.namesOf(path).length > 0)
      return fail({
        type: 'taken',
        message: `Another program of this machine uses a port of ${base.value} to ${base.value + 9}. Stop everything of this worktree to get other ports, or end that program.`,
      })
    const replaced = await ports.replace(path)
    if (replaced.ok) {
      logOf(path).add(
        'troupe',
        `Another program uses a port of ${base.value} to ${base.value + 9}: the ports are now ${replaced.value} to ${replaced.value + 9}.`,
      )
      await records.add(path, { type: 'ports-reserved', at: now(), base: replaced.value })
    }
    return replaced
  }

  async function runEach(record: WorktreeRecord, name: string | null): Promise<Result<void>> {
    const { path } = record
    return lock.withLock(path, async () => {
      const found = await usable(record)
      if (!found.ok) return found
      const { run } = found.value.commands
      const one = runCommandOf(found.value.commands, name)
      if (!one.ok) return one
      const { runs } = await records.stateOf(path)
      const meant = (name === null ? run : [one.value]).filter((each) => runs[each.name]?.kind !== 'running')
      if (meant.length === 0) return fail({ type: 'running', message: 'It runs already.' })
      const base = await freeBlock(path, (first) => meant.map((each) => portOf(run, each.name, first)))
      if (!base.ok) return base
      for (const each of meant) begin(record, found.value, { command: each, base: base.value })
      return ok(undefined)
    })
  }

  function begin(
    record: WorktreeRecord,
    found: FolderCommands,
    { command, base }: { readonly command: RunCommand; readonly base: number },
  ): void {
    works.start(record.path, command.name, async (signal) =>
      runServer(runner, await runningOf(record, found, { base, signal }), command),
    )
  }

  return {
    state: snapshot,
    async decide({ folder, digest, decision }) {
      if (!options.isTrusted(folder)) return fail(notTrusted(folder))
      const listed = await worktrees.of(folder)
      const there = listed.ok ? listed.value.filter(({ state }) => state === 'there') : []
      const [first] = there
      const project = first === undefined ? folder : await projectOf(first)
      const decided = await commands.decide(project, digest, decision)
      if (!decided.ok) return decided
      changed()
      // Their agents wait for it, or work without it.
      if (decision === 'approved')
        for (const record of there)
          if (record.holder !== null && (await records.stateOf(record.path)).setup.kind === 'none')
            await setUp(record)
      return ok(undefined)
    },
    async setUp(key) {
      const record = await find(key)
      return record.ok ? setUp(record.value) : record
    },
    async skip(key) {
      const record = await find(key)
      if (!record.ok) return record
      await works.stop(record.value.path, [SETUP])
      await records.add(record.value.path, { type: 'setup-skipped', at: now() })
      return ok(undefined)
    },
    async run({ name, ...key }) {
      const record = await find(key)
      return record.ok ? runEach(record.value, name) : record
    },
    async stop({ name, ...key }) {
      const record = await find(key)
      if (!record.ok) return record
      const { path } = record.value
      const { runs, setup } = await records.stateOf(path)
      const mine = works.namesOf(path)
      const isElsewhere =
        (name === null && setup.kind === 'running' && !mine.includes(SETUP)) ||
        Object.entries(runs).some(
          ([each, run]) => run.kind === 'running' && !mine.includes(each) && (name === null || name === each),
        )
      await works.stop(path, name === null ? mine : [name])
      if (isElsewhere) await works.askToStop(path, name)
      return ok(undefined)
    },
    async log({ source, lines, ...key }) {
      const record = await find(key)
      if (!record.ok) return record
      await logs.get(record.value.path)?.flush()
      return ok(await readLog(records.folderOf(record.value.path), { source, lines }))
    },
    async idle(key) {
      const record = await find(key)
      if (!record.ok) return
      await works.idle(record.value.path)
    },
    follow({ id }, listener) {
      const its = followers.get(id) ?? new Set()
      followers.set(id, its)
      its.add(listener)
      return () => its.delete(listener)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async prepare({ path }, isNew) {
      if (isNew) options.shared.made(path)
      const base = await ports.reserve(path)
      if (!base.ok) return options.onProblem(base.failure.message)
      const { base: known } = await records.stateOf(path)
      if (known !== base.value)
        await records.add(path, { type: 'ports-reserved', at: now(), base: base.value })
    },
    async begin({ path }) {
      const record = await worktrees.at(path)
      if (record === null) return
      const found = await stateOf({ path })
      if (found === null || found.state.setup.kind !== 'none') return
      if (needsSetup(found.commands.commands)) await setUp(record)
    },
    stateOf: withCommands,
    imageOf,
    entered: ({ path }) => options.shared.entered(path),
    async leave({ path }) {
      await works.stop(path, works.namesOf(path))
      const record = await worktrees.at(path)
      const state = await records.stateOf(path)
      if (record === null || state.setup.kind === 'none') return
      const found = await usable(record)
      const base = ports.of(path)
      if (!found.ok || base === null || found.value.commands.teardown.length === 0) return
      const { signal } = new AbortController()
      await runTeardown(runner, await runningOf(record, found.value, { base, signal }))
    },
    async removed({ path }) {
      options.shared.entered(path)
      logs.delete(path)
      await ports.release(path)
      await records.remove(path)
      changed()
    },
    async close() {
      await works.close()
    },
  }
}

/** The name of the set-up among what runs. No run command has it: see `environment-file.ts`. */
const SETUP = ' setup'

const elsewhere = {
  type: 'elsewhere',
  message: 'It runs already, in another window or command line of Troupe.',
}
