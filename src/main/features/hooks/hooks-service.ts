/** Shows, decides and tries the hooks of a folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_VERSION } from '../../../shared/events/agent-event.ts'
import type { Hooks } from '../../../shared/hooks/contract.ts'
import type { HookEvent, HookTest } from '../../../shared/hooks/hooks.ts'
import { fail } from '../../../shared/kernel/result.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import type { Approvals } from '../../platform/approvals/approvals.ts'
import type { InterceptionSubject } from '../../runtime/ports/interceptors.ts'
import {
  approvableOf,
  type ConfiguredFolder,
  type ConfiguredHook,
  type OwnHooks,
} from './configured-hooks.ts'
import { hookApplies } from './create-hooks.ts'
import { describePoint, type EventInput } from './hook-input.ts'
import { type HooksOptions, testRun } from './run-hook.ts'
import { transcriptLinesOf } from './script-transcript.ts'

interface HooksServiceOptions extends HooksOptions {
  readonly approvals: Approvals
  /** ms since the epoch. */
  readonly now: () => number
  /** The hooks of the definitions in use. */
  readonly definitions: (folder: string) => Promise<readonly OwnHooks[]>
}

export function createHooksService(options: HooksServiceOptions): Hooks {
  const { configured, approvals, definitions } = options
  const readAll = async (folder: string): Promise<ConfiguredFolder> => {
    const shared = await configured.read(folder, null)
    const found = await Promise.all(
      (await definitions(folder)).map(async (own) => {
        const { entries, problems } = await configured.read(folder, own)
        return {
          entries: entries.filter(({ definition }) => definition.agent === own.agent),
          problems: problems.filter((problem) => !shared.problems.includes(problem)),
        }
      }),
    )
    return {
      entries: [...shared.entries, ...found.flatMap(({ entries }) => entries)],
      problems: [...shared.problems, ...found.flatMap(({ problems }) => problems)],
    }
  }
  return {
    state: readAll,
    async decide(folder, id, decision) {
      const found = (await readAll(folder)).entries.find((entry) => entry.id === id)
      if (found === undefined) return fail({ type: 'not-found', message: 'There is no such hook here now.' })
      if (found.source === 'managed' && decision === 'refused')
        return fail({ type: 'managed', message: 'Your administrator set this hook, so it stays on.' })
      return approvals.decide(folder, approvableOf(found), decision)
    },
    async test(folder, event, sample) {
      const samples = await mkdtemp(join(tmpdir(), 'troupe-sample-'))
      try {
        const agent = await sampleAgent(folder, samples, options.now())
        const input = sampleInput(event, sample, agent)
        const { entries } = await readAll(folder)
        const tests: HookTest[] = []
        for (const hook of entries)
          if (hook.state === 'on' && hook.definition.event === event && hookApplies(hook, input))
            tests.push(
              await testOf(
                hook,
                { input, agent, signal: new AbortController().signal, reach: null },
                options,
              ),
            )
        return tests
      } finally {
        await rm(samples, { recursive: true, force: true })
      }
    },
  }
}

async function testOf(
  hook: ConfiguredHook,
  run: Parameters<typeof testRun>[1],
  options: HooksOptions,
): Promise<HookTest> {
  const startedAt = options.elapsed()
  const ran = await testRun(hook, run, options)
  const answer = ran.failure === null ? ran.read.answer : null
  return {
    entry: hook,
    exitCode: hook.definition.kind === 'command' ? (ran.output?.exitCode ?? null) : null,
    output: [ran.output?.stdout ?? '', ran.output?.stderr ?? ''].join('').trim(),
    answer: Object.entries(answer ?? {})
      .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n'),
    failure: ran.failure?.message ?? null,
    durationMs: Math.round(options.elapsed() - startedAt),
  }
}

/** With a transcript of one message. */
async function sampleAgent(folder: string, samples: string, at: number): Promise<InterceptionSubject> {
  const agent: InterceptionSubject = {
    id: 'a-sample',
    type: 'main',
    isJudge: false,
    name: null,
    team: null,
    parentId: null,
    conversationId: 'c-sample',
    project: folder,
    cwd: folder,
    transcriptPath: join(samples, 'messages.jsonl'),
    permissionMode: 'default',
    model: 'sample',
    ownHooks: null,
  }
  await writeFile(agent.transcriptPath, sampleLine(agent, at))
  return agent
}

function sampleLine(agent: InterceptionSubject, at: number): string {
  const lines = transcriptLinesOf(
    {
      v: EVENT_VERSION,
      type: 'assistant-message',
      agentId: agent.id,
      seq: 0,
      order: 0,
      at,
      turn: 1,
      messageId: 'msg_sample',
      model: 'sample',
      content: [{ type: 'text', text: 'A sample.' }],
      stopReason: 'end_turn',
      usage: noUsage,
      costUsd: 0,
      durationMs: 0,
      pace: [],
    },
    agent,
  )
  return `${JSON.stringify(lines[0])}\n`
}

function sampleInput(
  event: HookEvent,
  { tool, input }: { readonly tool: string; readonly input: unknown },
  agent: InterceptionSubject,
): EventInput {
  const call = { tool, input, toolUseId: 'toolu_sample' }
  const end = { text: 'A sample.', continuations: 0, canContinue: true }
  const worktree = { path: agent.cwd, branch: 'troupe/sample' }
  const task = { id: '1', subject: 'A sample.', description: '' }
  const elicited = { server: 'sample', message: 'A sample.', url: null, schema: {} }
  const samples = [
    describePoint['tool-call'](call, agent),
    describePoint['tool-result']({ ...call, isError: false, content: 'A sample.' }, agent),
    describePoint['user-message']({ text: 'A sample.' }, agent),
    describePoint['subagent-start']({ task: 'A sample.', isResumed: false }, agent),
    describePoint['subagent-stop'](end, agent),
    describePoint['turn-end'](end, agent),
    describePoint['session-start']({ isResumed: false }, agent),
    describePoint['session-end']({ reason: 'closed' }, agent),
    describePoint.compaction({ messages: 2, instructions: null }, agent),
    describePoint.notification({ kind: 'permission-request', text: 'A sample.' }, agent),
    describePoint['permission-request']({ ...call, because: 'A sample.' }, agent),
    describePoint['permission-denied']({ ...call, because: 'A sample.' }, agent),
    describePoint['tool-result']({ ...call, content: 'A sample.', isError: true }, agent),
    describePoint['turn-failed']({ type: 'rate-limited', message: 'A sample.', text: 'A sample.' }, agent),
    describePoint.compacted({ instructions: null, summary: 'A sample.' }, agent),
    describePoint['task-created'](task, agent),
    describePoint['task-completed'](task, agent),
    describePoint['member-idle']({ canContinue: true }, { ...agent, name: 'ada', team: 'sample' }),
    describePoint['instructions-loaded'](
      { path: join(agent.cwd, 'CLAUDE.md'), scope: 'project', reason: 'session_start' },
      agent,
    ),
    describePoint.elicitation(elicited, agent),
    describePoint['elicitation-answered']({ ...elicited, action: 'accept', values: {} }, agent),
    describePoint['folder-changed']({ from: agent.cwd, to: join(agent.cwd, 'src') }, agent),
    describePoint['file-changed']({ path: join(agent.cwd, '.env'), change: 'change' }, agent),
    describePoint['settings-changed'](
      { path: join(agent.cwd, '.claude', 'settings.json'), source: 'project_settings' },
      agent,
    ),
    describePoint['worktree-create'](worktree, agent),
    describePoint['worktree-remove'](worktree, agent),
  ]
  const described = samples.find((one) => one?.event === event)
  if (!described) throw new Error(`No sample for ${event}.`)
  return described
}
