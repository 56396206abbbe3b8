/** `troupe worker`: a process that carries out one team member with the whole runtime. */

import { stat } from 'node:fs/promises'
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { WorkerFacts } from '../../../../shared/workers/worker-presence.ts'
import { WORKER_PROTOCOL, type WorkerJob } from '../../../../shared/workers/worker-protocol.ts'
import type { ComposedRuntime } from '../../../features.ts'
import type { TextOutput } from '../../../platform/command-line/terminal.ts'
import { EXIT } from '../../../platform/command-line/terminal.ts'
import type { Clock, Ids, SharedLimits } from '../../../runtime/ports/ports.ts'
import type { TaskBoard } from '../../../runtime/ports/task-board.ts'
import { createMaildirMailbox } from '../../teams/mailbox/maildir-mailbox.ts'
import { runJob } from '../job/run-job.ts'
import { openPaneWorker, type PaneJob } from '../pane-worker.ts'
import { readAccess, type WorkerAccess } from '../worker-access.ts'
import { createWorkerTerminal, type WorkerTerminal } from './worker-terminal.ts'

/** The values of `troupe worker` for a team member. */
export interface WorkerOptions {
  /** The agent to carry out: by its id, or as a member of a team. */
  readonly agent: { readonly id: string } | { readonly team: string; readonly name: string }
  /** Where the access to a model comes from: `-` or a file. Null: from the environment. */
  readonly access: string | null
  /** ms without work after which the worker ends; null: it stays. */
  readonly idleMs: number | null
}

export interface WorkerContext {
  readonly dataFolder: string
  readonly version: string
  /** The tmux pane of this process. */
  readonly tmux: string | null
  /** The access of the environment. */
  readonly access: ModelAccess
  /** Finds a team member. Fails with a message for the user. */
  readonly agentId: string
  readonly clock: Clock
  readonly ids: Ids
  /** Aborts at the first Ctrl+C. */
  readonly interrupted: AbortSignal
  readonly input: NodeJS.ReadStream
  readonly output: TextOutput & { readonly isTTY: boolean }
  readonly complain: (message: string) => void
  /** Gives the terminal a title, as a pane of tmux or a tab shows it. */
  readonly nameTerminal: (name: string) => void
  /** A runtime for one job, with conversations in a folder of its own. */
  readonly compose: (job: WorkerJob, options: ComposeForJob) => Promise<ComposedRuntime>
}

export interface ComposeForJob {
  readonly conversationsFolder: string
  readonly pace: WorkerAccess['pace'] | null
  /** The rate limits that it shares with others of the same key. */
  readonly limits?: SharedLimits
  /** The task lists, if they are not in the data folder. */
  readonly tasks?: TaskBoard
}

/** @returns the exit code */
export async function runWorkerCommand(
  { access: source, idleMs }: Pick<WorkerOptions, 'access' | 'idleMs'>,
  context: WorkerContext,
): Promise<number> {
  const { agentId, complain, output, dataFolder } = context
  const given = source === null ? null : await readAccess(source, context.input)
  if (given?.ok === false) {
    complain(given.failure.message)
    return EXIT.noAccess
  }
  const access = given?.value.access ?? context.access
  if (given === null && access.kind === 'none') {
    complain('No access to a model. Set ANTHROPIC_API_KEY.')
    return EXIT.noAccess
  }
  const worker = await openPaneWorker({
    dataFolder,
    agentId,
    facts: factsOf(context),
    now: context.clock.now,
    onProblem: complain,
  })
  if (!worker.ok) {
    complain(worker.failure.message)
    return worker.failure.type === 'locked' ? EXIT.failed : EXIT.usage
  }
  const terminal =
    output.isTTY && source !== '-'
      ? createWorkerTerminal({
          input: context.input.isTTY ? context.input : null,
          output,
          whenIdle: (text) => void keepMessage(text, context),
        })
      : null
  const ending = AbortSignal.any([context.interrupted])
  try {
    for (;;) {
      if (terminal) output.write(`Waiting for work for ${agentId}. Ctrl+C ends the worker.\n`)
      const job = await worker.value.next({ idleMs: idleMs ?? Number.POSITIVE_INFINITY, signal: ending })
      if (job === null) return context.interrupted.aborted ? EXIT.interrupted : EXIT.done
      if (
        await carryOut(job, {
          access,
          keys: given?.value.keys ?? {},
          pace: given?.value.pace ?? null,
          terminal,
          context,
        })
      )
        return EXIT.done
      if (context.interrupted.aborted) return EXIT.interrupted
    }
  } finally {
    terminal?.close()
    await worker.value.close()
  }
}

interface CarryingOut {
  readonly access: ModelAccess
  readonly keys: WorkerAccess['keys']
  readonly pace: WorkerAccess['pace'] | null
  readonly terminal: WorkerTerminal | null
  readonly context: WorkerContext
}

/** @returns whether the process was told to end */
async function carryOut({ taken, dataFolder }: PaneJob, carrying: CarryingOut): Promise<boolean> {
  const { access, keys, pace, terminal, context } = carrying
  const { job } = taken
  const folder = await stat(job.folder).catch(() => null)
  if (!folder?.isDirectory()) {
    const message = `The folder ${job.folder} is not found or not readable, so the agent can’t work in it.`
    await taken.giveBack({ message, forGood: true })
    return false
  }
  const [spawned] = job.events
  if (terminal && spawned?.type === 'agent-spawned')
    context.nameTerminal(spawned.name ?? spawned.definition.name)
  const program = await context.compose(job, { conversationsFolder: resolve(dataFolder), pace })
  program.providers.setKeys(keys)
  const mailbox = mailboxOf(context)
  let isShutDown = false
  try {
    const switched = await program.switchAccess(job.rehearsal === undefined ? access : { kind: 'rehearsal' })
    if (!switched.ok) {
      await taken.giveBack({ message: switched.failure.message, forGood: true })
      return false
    }
    const unsubscribe = terminal
      ? program.runtime.subscribe((delta) => {
          if (delta.type === 'event' && delta.event.agentId === job.agentId) terminal.show(delta.event)
        })
      : () => {}
    await runJob(taken, {
      runtime: program.runtime,
      sendMessage: (message) => mailbox.put(message),
      stopped: context.interrupted,
      sleep: context.clock.sleep,
      onShutdown: () => {
        isShutDown = true
      },
      onStart: (agent) =>
        terminal?.reach({
          message: (text) =>
            agent.message({
              messageId: context.ids.next('m'),
              from: 'user',
              sender: null,
              content: [{ type: 'text', text }],
            }),
          answer: (requestId, answer) => agent.answer(requestId, answer),
          answerForm: (formId, answer) => agent.answerForm(formId, answer),
        }),
    })
    unsubscribe()
    terminal?.reach(null)
    return isShutDown
  } finally {
    await program.close()
  }
}

const mailboxOf = ({ dataFolder, complain }: WorkerContext) =>
  createMaildirMailbox({ folder: resolve(dataFolder, 'mailboxes'), onProblem: complain })

/** A message to an agent without a run resumes it: the program that has its conversation open makes a job of it. */
async function keepMessage(text: string, context: WorkerContext): Promise<void> {
  const { agentId, output, complain } = context
  const kept = await mailboxOf(context).put({
    messageId: context.ids.next('m'),
    to: agentId,
    sender: null,
    content: [{ type: 'text', text }],
    at: context.clock.now(),
  })
  if (kept.ok) output.write('Sent. The agent continues when Troupe has its conversation open.\n')
  else complain(kept.failure.message)
}

function factsOf({ version, tmux, ids }: WorkerContext): WorkerFacts {
  return {
    workerId: ids.next('w'),
    kind: 'pane',
    host: hostname(),
    pid: process.pid,
    cores: availableParallelism(),
    platform: process.platform,
    version,
    protocol: WORKER_PROTOCOL,
    tmux,
    models: [],
    tools: [],
  }
}
