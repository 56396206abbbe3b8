/** The forms that a hook can have: when it runs, who waits for it, who judges, and what it may decide. */
import { describe, expect, test } from 'vitest'
import { noLimits } from '../../../shared/events/agent-event.ts'
import type { HookSource } from '../../../shared/hooks/hooks.ts'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { createMemoryRules } from '../../runtime/testing/memory-rules.ts'
import { freePolicy } from '../../runtime/testing/plain-ports.ts'
import { lastWords, type Script } from '../../runtime/testing/scripted-model.ts'
import {
  agentCall,
  type Call,
  childrenOf,
  echo,
  gate,
  isMain,
  script,
} from '../../runtime/testing/scripts.ts'
import { createTestRuntime, type TestOptions, type TestRuntime } from '../../runtime/testing/test-runtime.ts'
import { readHooks } from './read-hooks.ts'
import { type RecordedOptions, recordedHooks } from './testing/recorded-hooks.ts'

interface Scene extends Partial<TestOptions> {
  readonly calls?: readonly (readonly Call[])[]
  readonly mode?: 'default' | 'acceptEdits' | 'dontAsk'
  /** The events of the hook, and the hook. */
  readonly hooks: Readonly<Record<string, object>>
  readonly more?: RecordedOptions
  readonly during?: (troupe: TestRuntime, conversationId: string) => Promise<unknown>
}

const bash = (command: string): Call => ['Bash', { command }]

/** Denies what the user is asked. */
async function play({ calls = [], mode = 'default', hooks, more, during, ...options }: Scene) {
  const groups = Object.entries(hooks).map(([event, hook]) => [event, [{ hooks: [hook] }]])
  const recorded = recordedHooks({ ...more, configured: Object.fromEntries(groups) })
  const environments: Readonly<Record<string, string>>[] = []
  const troupe = createTestRuntime({
    script: script([...calls.map((one) => ({ calls: one })), echo], echo),
    shell: async ({ cwd, environment = {} }) => {
      environments.push(environment)
      return { output: 'out', exitCode: 0, ended: 'exit', cwd }
    },
    ...options,
    ports: { clock: createHandClock().clock, ...options.ports, interceptors: recorded.interceptors },
  })
  const id = await troupe.begin('Go', { permissionMode: mode })
  const asked = troupe.when('permission-asked').then(({ agentId, requestId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId: id,
      agentId,
      requestId,
      answer: { decision: 'deny', feedback: null },
    }),
  )
  void asked.catch(() => {})
  await during?.(troupe, id)
  await troupe.runtime.settled(id)
  await troupe.runtime.close()
  const events = troupe.events
  return {
    troupe,
    environments,
    ran: recorded.inputs,
    wasAsked: events.some(({ type }) => type === 'permission-asked'),
    results: events.flatMap((event) => (event.type === 'tool-ended' ? [event] : [])),
    runs: events.flatMap((event) => (event.type === 'hook-ran' ? [event] : [])),
    asked: events.flatMap((event) => (event.type === 'model-asked' ? [event] : [])),
    heard: troupe.model.requests.map(lastWords),
  }
}

const command = (more: object = {}) => ({ type: 'command', command: 'check', ...more })

describe('async', () => {
  const told = { hookSpecificOutput: { additionalContext: 'The tests fail.' } }

  test('the agent goes on, and is told at its next step', async () => {
    const slow = gate()
    const { heard, runs } = await play({
      hooks: { UserPromptSubmit: command({ async: true }) },
      more: { answer: () => slow.opened.then(() => told) },
      script: script(
        [
          { calls: [bash('ls')] },
          async () => {
            slow.open()
            await new Promise((resolve) => setTimeout(resolve))
            return { calls: [bash('ls -l')] }
          },
          echo,
        ],
        echo,
      ),
    })
    expect(heard[1]).not.toContain('The tests fail.')
    expect(heard[2]).toContain('<system-note source="hook check">\nThe tests fail.\n</system-note>')
    expect(runs).toMatchObject([{ event: 'UserPromptSubmit', effect: 'context-added' }])
  })

  test('a denial comes too late, and is told', async () => {
    const { heard, results } = await play({
      calls: [[bash('ls')], [bash('ls -l')]],
      hooks: { PreToolUse: command({ async: true }) },
      more: { answer: () => ({ decision: 'block', reason: 'No lists.' }) },
    })
    expect(results.map(({ isError }) => isError)).toEqual([false, false])
    expect(heard.at(-1)).toContain('No lists.')
  })

  test('it ends with the conversation, and what it says makes no agent continue', async () => {
    const never = gate()
    const ended: boolean[] = []
    const { heard } = await play({
      hooks: { Stop: command({ async: true }) },
      more: {
        answer: (_input, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              ended.push(true)
              resolve(told)
            })
            void never.opened
          }),
      },
    })
    expect(ended).toEqual([true])
    expect(heard).toHaveLength(1)
  })
})

test('once: it runs at the first event of a conversation', async () => {
  const { ran } = await play({
    calls: [[bash('ls')], [bash('ls -l')]],
    hooks: { PreToolUse: command({ once: true }) },
  })
  expect(ran).toHaveLength(1)
})

describe('if', () => {
  test.each<[rule: string, call: Call, runs: boolean]>([
    ['Bash(git *)', bash('git status'), true],
    ['Bash(git *)', bash('ls'), false],
    ['Bash(git *)', bash('ls && git push'), true],
    ['Bash(git *)', bash('FOO=1 git push'), true],
    ['Bash(rm *)', bash('echo $(rm -rf x)'), true],
    ['Edit(*.ts)', ['Write', { file_path: '/project/a.ts', content: '' }], true],
    ['Edit(*.ts)', ['Write', { file_path: '/project/a.md', content: '' }], false],
    ['Bash', ['Write', { file_path: '/project/a.md', content: '' }], false],
  ])('%s and %j: %s', async (rule, call, runs) => {
    const { ran } = await play({ calls: [[call]], hooks: { PreToolUse: command({ if: rule }) } })
    expect(ran).toHaveLength(runs ? 1 : 0)
  })

  test('it is judged by the input that an earlier hook changed', async () => {
    const groups = [{ hooks: [command({ if: 'Bash(ls *)' })] }, { hooks: [command({ if: 'Bash(git *)' })] }]
    const recorded = recordedHooks({
      configured: { PreToolUse: groups },
      answer: () => ({ hookSpecificOutput: { updatedInput: { command: 'git status' } } }),
    })
    const troupe = createTestRuntime({
      script: script([{ calls: [bash('ls -l')] }, echo], echo),
      ports: { clock: createHandClock().clock, interceptors: recorded.interceptors },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(recorded.inputs.map((input) => input['tool_input'])).toEqual([
      { command: 'ls -l' },
      { command: 'git status' },
    ])
  })

  test.each([
    [{ Stop: [{ hooks: [command({ if: 'Bash' })] }] }, '"if" is for events of calls.'],
    [
      { SessionStart: [{ hooks: [{ type: 'prompt', prompt: 'Is it fine?' }] }] },
      'Nothing follows from a verdict at SessionStart',
    ],
  ])('what can have no effect is said: %j', (configured, problem) => {
    const { hooks, problems } = readHooks(configured, 'x')
    expect(hooks).toEqual([])
    expect(problems).toEqual([expect.stringContaining(problem)])
  })
})

test('an "if" that is no rule is said, and the guard runs', () => {
  const { hooks, problems } = readHooks({ PreToolUse: [{ hooks: [command({ if: 'Bsh(git *)' })] }] }, 'x')
  expect(hooks).toMatchObject([{ event: 'PreToolUse', run: 'check' }])
  expect(hooks[0]?.if).toBeUndefined()
  expect(problems).toEqual([expect.stringContaining('"if" has no effect, so the hook runs whenever')])
})

describe('a judge', () => {
  const judging =
    (verdict: string, calls: readonly Call[] = [bash('ls')]): Script =>
    (request) => {
      if (isMain(request)) return script([{ calls }, echo], echo)(request, new AbortController().signal)
      return { text: verdict }
    }
  const prompt = { type: 'prompt', prompt: 'Is this safe? $ARGUMENTS' }

  test('of the type prompt is a small model, whose cost is the agent’s', async () => {
    const { results, asked, troupe, runs } = await play({
      script: judging('{"ok": false, "reason": "Not today."}'),
      hooks: { PreToolUse: prompt },
    })
    expect(results).toMatchObject([
      { isError: true, content: 'Denied by hook Is this safe? $ARGUMENTS: Not today.' },
    ])
    expect(asked).toMatchObject([{ model: 'claude-haiku', costUsd: expect.any(Number) }])
    expect(runs).toMatchObject([{ event: 'PreToolUse', effect: 'denied', exitCode: null }])
    const question = troupe.model.requests.find((request) => !isMain(request))!
    expect(lastWords(question)).toMatch(/^Is this safe\? \{"session_id":.*"command":"ls"/)
    expect(question.tools).toEqual([])
  })

  test.each([
    ['{"ok": true}', 'Stop', 1],
    ['Sure:\n```json\n{"ok": false, "reason": "Run the tests."}\n```', 'Stop', 2],
  ] as const)('says %j at %s: the main agent makes %i requests', async (verdict, event, requests) => {
    let judged = 0
    const { troupe } = await play({
      script: (request) => {
        if (isMain(request)) return { text: 'Done.' }
        return { text: judged++ === 0 ? verdict : '{"ok": true}' }
      },
      hooks: { [event]: { type: 'prompt', prompt: 'Is it done?' } },
    })
    expect(troupe.model.requests.filter(isMain)).toHaveLength(requests)
  })

  test('that gives no verdict is a guard that failed: the call is denied', async () => {
    const { results } = await play({ script: judging('I think so.'), hooks: { PreToolUse: prompt } })
    expect(results[0]).toMatchObject({ isError: true })
    expect(results[0]?.content).toContain('its verdict can’t be read: I think so')
    const open = await play({
      script: judging('I think so.'),
      hooks: { PreToolUse: { ...prompt, failClosed: false } },
    })
    expect(open.results).toMatchObject([{ isError: false }])
  })

  test('of the type agent is a subagent that reads files, and that no judge judges', async () => {
    let turn = 0
    const { results, troupe } = await play({
      script: (request) => {
        if (isMain(request))
          return script([{ calls: [bash('ls')] }, echo], echo)(request, new AbortController().signal)
        return turn++ === 0
          ? { calls: [['Glob', { pattern: '*.ts' }]] }
          : { text: '{"ok": false, "reason": "There are no tests."}' }
      },
      hooks: { PreToolUse: { type: 'agent', prompt: 'Are there tests?' } },
      policy: { maxParallelAgents: 1 },
    })
    const [judge] = childrenOf(troupe)
    expect(judge).toMatchObject({
      definition: { name: 'hook-judge', readOnly: true },
      neverAsks: true,
    })
    const own = troupe.model.requests.find((request) => !isMain(request))
    expect(own?.tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read'])
    expect(childrenOf(troupe)).toHaveLength(1)
    expect(results.at(-1)?.content).toContain('There are no tests.')
  })

  test('counts against the limits', async () => {
    const { results, asked } = await play({
      script: judging('{"ok": true}'),
      hooks: { PreToolUse: prompt },
      policy: { limits: { ...freePolicy.limits, conversation: { ...noLimits, tokens: 1 } } },
    })
    expect(asked).toEqual([])
    expect(results.every(({ isError }) => isError)).toBe(true)
  })
})

describe('an answer that allows', () => {
  const allow = { hookSpecificOutput: { decision: { behavior: 'allow' } } }
  const early = { hookSpecificOutput: { permissionDecision: 'allow', permissionDecisionReason: 'Known.' } }
  const publish = [[bash('npm publish')]] as const
  const mine = (more: object = {}): RecordedOptions => ({ mayAllow: true, answer: () => allow, ...more })

  test('of the user’s own hook answers the request where the setting says so', async () => {
    for (const [event, said] of [
      ['PermissionRequest', allow],
      ['PreToolUse', early],
    ] as const) {
      const { results, wasAsked, runs } = await play({
        calls: publish,
        hooks: { [event]: command() },
        more: mine({ answer: () => said }),
      })
      expect(results).toMatchObject([{ isError: false }])
      expect(wasAsked).toBe(false)
      expect(runs).toMatchObject([{ effect: 'allowed' }])
    }
  })

  test.each<[why: string, scene: Partial<Scene>]>([
    ['the setting is off', { more: mine({ mayAllow: false }) }],
    ...(['project', 'local', 'plugin', 'agent', 'project-agent'] satisfies HookSource[]).map(
      (source) => [`a hook of the source ${source}`, { more: mine({ source }) }] as [string, Partial<Scene>],
    ),
    [
      'the call would be another one',
      {
        more: mine({
          answer: () => ({
            hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: { command: 'ls' } } },
          }),
        }),
      },
    ],
    ['no rule can allow the call', { calls: [[bash('rm -rf / && npm publish *')]] }],
  ])('has no effect: %s', async (_why, scene) => {
    const { results, wasAsked } = await play({
      calls: publish,
      hooks: { PermissionRequest: command() },
      more: mine(),
      ...scene,
    })
    expect(wasAsked).toBe(true)
    expect(results).toMatchObject([{ isError: true, note: 'denied' }])
  })

  test.each([
    ['deny', false],
    ['ask', true],
  ] as const)('never counts over a rule that %ss', async (kind, asks) => {
    const free = createMemoryRules()
    const rule = { text: 'Bash(npm *)', source: 'user' as const, file: null, line: null, where: 'a test' }
    const rules = { ...free, of: async (folder: string) => ({ ...(await free.of(folder)), [kind]: [rule] }) }
    const { results, wasAsked } = await play({
      calls: publish,
      hooks: { PermissionRequest: command(), PreToolUse: command() },
      more: mine({ answer: () => ({ ...allow, decision: 'approve' }) }),
      ports: { rules },
    })
    expect(wasAsked).toBe(asks)
    expect(results).toMatchObject([{ isError: true, note: 'denied' }])
  })

  test('never counts over the mode that denies, or another hook', async () => {
    const dontAsk = await play({
      calls: publish,
      mode: 'dontAsk',
      hooks: { PermissionRequest: command() },
      more: mine(),
    })
    expect(dontAsk.results).toMatchObject([{ isError: true }])
    let asked = 0
    const two = await play({
      calls: publish,
      hooks: { PermissionRequest: command(), PreToolUse: command() },
      more: mine({
        answer: () => (asked++ === 0 ? { hookSpecificOutput: { permissionDecision: 'ask' } } : allow),
      }),
    })
    expect(two.wasAsked).toBe(true)
  })
})

describe('CLAUDE_ENV_FILE', () => {
  const exporting = (text: string): RecordedOptions => ({
    async answer(_input, { environment }) {
      const { writeFile } = await import('node:fs/promises')
      await writeFile(environment['CLAUDE_ENV_FILE'] ?? '', text)
      return undefined
    },
  })

  test('what a hook exports reaches later commands, also of agents below', async () => {
    const { environments } = await play({
      script: script([{ calls: [bash('ls')] }, { calls: [agentCall('one')] }, echo], (request) =>
        request.messages.length === 1
          ? { calls: [bash('ls -l')] }
          : echo(request, new AbortController().signal),
      ),
      hooks: { SessionStart: command() },
      more: exporting('export STAGE=test\n'),
    })
    expect(environments).toMatchObject([{ STAGE: 'test' }, { STAGE: 'test' }])
  })

  test('only hooks of events that may set variables get the file', async () => {
    const files: (string | undefined)[] = []
    await play({
      hooks: { UserPromptSubmit: command(), SessionStart: command() },
      more: {
        answer: (_input, { environment }) => {
          files.push(environment['CLAUDE_ENV_FILE'])
          return undefined
        },
      },
    })
    expect(files).toEqual([expect.stringContaining('env.sh'), undefined])
  })

  test('lines that would run something are left out, and the user is told', async () => {
    const { troupe, environments } = await play({
      calls: [[bash('ls')]],
      hooks: { SessionStart: command() },
      more: exporting('export A=$(touch x)\nexport B=2'),
    })
    expect(environments).toEqual([{ B: '2' }])
    const notices = troupe.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
    expect(notices).toEqual([expect.stringContaining('export A=$(touch x)')])
  })
})
