/** A runtime whose main agent gives a real external agent the task "Do outside." */
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExternalAgentLaunch } from '../../../../../shared/agent-definition/agent-definition.ts'
import type { AgentState } from '../../../../../shared/state/agent-state.ts'
import { createMemoryRules } from '../../../../runtime/testing/memory-rules.ts'
import { childrenOf } from '../../../../runtime/testing/scripts.ts'
import type { TestRuntime } from '../../../../runtime/testing/test-runtime.ts'
import type { ScriptedReply } from '../../../rehearsal/director.ts'
import { createOutsiderRuntime } from './external-runtime.ts'
import { type ForeignApi, startForeignApi, type TaskScript } from './foreign-api.ts'
import { processesWithHome } from './processes-with-home.ts'
import type { RealProgramPlace } from './real-programs.ts'

export interface ProgramRuntime extends Omit<TestRuntime, 'begin'> {
  readonly api: ForeignApi
  /** The conversation's folder. */
  readonly folder: string
  readonly rules: ReturnType<typeof createMemoryRules>
  /** Starts a conversation whose main agent starts the program. @returns its id */
  begin(): Promise<string>
  /** The id of the program's agent; empty before it was started. */
  childId(): string
  /** The ids of the program's processes, in the order of their starts. */
  pids(): Promise<readonly number[]>
  /** Those that run, with what they started: on Linux, all processes with the program's home folder. */
  running(): Promise<readonly number[]>
  /** The program's agent once the conversation is at rest. */
  ended(conversationId: string): Promise<AgentState>
  close(): Promise<void>
}

export interface ProgramRuntimeOptions {
  /** Rules that allow calls. */
  readonly rules?: readonly string[]
}

/** @param tasks what the program's model replies */
export async function programRuntime(
  program: (place: RealProgramPlace) => ExternalAgentLaunch,
  tasks: TaskScript,
  options: ProgramRuntimeOptions = {},
): Promise<ProgramRuntime> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-program-')))
  const folder = join(base, 'project')
  const home = join(base, 'home')
  await Promise.all([mkdir(folder), mkdir(home)])
  const api = await startForeignApi(tasks)
  const rules = createMemoryRules()
  for (const rule of options.rules ?? []) await rules.allow(folder, rule)
  const pidFile = join(base, 'pids')
  const troupe = createOutsiderRuntime({
    mode: '',
    program: noting(program({ api, home }), pidFile),
    definition: { prompt: '' },
    test: { ports: { rules } },
  })
  const childId = () => childrenOf(troupe)[0]?.agentId ?? ''
  const pids = async () => (await readFile(pidFile, 'utf8')).trim().split('\n').map(Number)
  return {
    ...troupe,
    api,
    folder,
    rules,
    childId,
    pids,
    running: () => processesWithHome(home, pids),
    begin: async () => {
      return await troupe.begin('Go', { folder })
    },
    ended: async (conversationId) => {
      await troupe.runtime.settled(conversationId)
      const state = troupe.runtime.state(conversationId, childId())
      if (state === null) throw new Error('The agent was not started.')
      return state
    },
    close: async () => {
      await troupe.runtime.close()
      await api.close()
      await rm(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A reply with only this text. */
export const said = (text: string): ScriptedReply => ({ blocks: [{ type: 'text', text }] })

/** A reply with one call. */
export const calls = (name: string, input: unknown): ScriptedReply => ({
  blocks: [{ type: 'tool_use', name, input }],
})

/** The program, which writes its process id into a file first. */
const noting = ({ command, args, env }: ExternalAgentLaunch, pidFile: string): ExternalAgentLaunch => ({
  command: '/bin/sh',
  args: ['-c', 'echo $$ >> "$0"; exec "$@"', pidFile, command, ...args],
  env,
})
