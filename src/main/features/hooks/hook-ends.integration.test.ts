import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lastWords, type Script } from '../../runtime/testing/scripted-model.ts'
import { agentCall, type Call, echo, script, turnOf } from '../../runtime/testing/scripts.ts'
import { testDefinitions } from '../../runtime/testing/test-runtime.ts'
import { BASH, bash, ground, isAlive, of, on, run } from '../../testing/real-hooks.ts'
import { approvableOf } from './configured-hooks.ts'

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`
const STOP = says({ continue: false, stopReason: 'The budget is spent.' })
/** A subagent that makes one call. */
const oneCall: Script = (request, signal) =>
  turnOf(request) === 1 ? { calls: [BASH] } : echo(request, signal)
const EDIT: Call = ['Write', { file_path: '/project/a.ts', content: 'a' }]

describe('continue: false ends the run, and the user reads why', () => {
  const stopped = { verdict: 'stopped', reason: 'The budget is spent.' }

  test('before a call: neither this call nor a later one runs', async () => {
    const g = ground()
    g.user(on('PreToolUse', 'Bash', STOP))
    const troupe = await run(g, [BASH, EDIT])
    expect(of(troupe, 'interceptor-verdict')).toMatchObject([stopped])
    expect(of(troupe, 'hook-ran')).toMatchObject([{ effect: 'stopped' }])
    expect(of(troupe, 'tool-started')).toEqual([])
    expect(of(troupe, 'tool-ended').map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Not run: hook .* stopped the agent: The budget is spent\.$/),
      'Not run. A hook of the user stopped you before this call began.',
    ])
    expect(of(troupe, 'agent-ended')).toMatchObject([{ status: 'stopped', stoppedBy: 'hook' }])
    expect(troupe.model.requests).toHaveLength(1)
  })

  test('after a call: its result stays, and no request follows', async () => {
    const g = ground()
    g.user(on('PostToolUse', 'Bash', STOP))
    const troupe = await run(g, [BASH])
    expect(of(troupe, 'tool-ended')).toMatchObject([{ isError: false, content: 'ran ls' }])
    expect(of(troupe, 'agent-ended')).toMatchObject([{ status: 'stopped', stoppedBy: 'hook' }])
    expect(troupe.model.requests).toHaveLength(1)
  })

  test.each([
    STOP,
    says({
      hookSpecificOutput: {
        decision: { behavior: 'deny', message: 'The budget is spent.', interrupt: true },
      },
    }),
  ])('at a permission request: the user is not asked (%#)', async (command) => {
    const g = ground()
    g.user(on('PermissionRequest', 'Bash', command))
    const troupe = await run(g, [bash('npm publish')], { permissionMode: 'default' })
    expect(of(troupe, 'permission-asked')).toEqual([])
    expect(of(troupe, 'agent-ended')).toMatchObject([{ stoppedBy: 'hook' }])
  })

  test('at the end it is stronger than another hook that lets the agent continue', async () => {
    const g = ground()
    const more = { type: 'command', command: says({ decision: 'block', reason: 'Run the tests.' }) }
    g.user({ Stop: [{ hooks: [more, { type: 'command', command: STOP }] }] })
    const troupe = await run(g, [], { script: script([echo], echo) })
    expect(troupe.model.requests).toHaveLength(1)
    expect(of(troupe, 'interceptor-verdict').map(({ verdict }) => verdict)).toEqual(['continued', 'stopped'])
  })

  test('a message is refused', async () => {
    const g = ground()
    g.user(on('UserPromptSubmit', '', STOP))
    await expect(run(g, [])).rejects.toThrow('The budget is spent.')
  })

  test.each(['SubagentStart', 'PreToolUse'])(
    'of a subagent at %s: its parent reads that a hook stopped it, and goes on',
    async (event) => {
      const g = ground()
      g.user(on(event, event === 'PreToolUse' ? 'Bash' : '', STOP))
      const troupe = await run(g, [agentCall('one')], {
        script: script([{ calls: [agentCall('one')] }, echo], () => ({ calls: [BASH] })),
      })
      expect(of(troupe, 'agent-ended')).toMatchObject([{ status: 'stopped', stoppedBy: 'hook' }])
      expect(JSON.stringify(of(troupe, 'tool-ended').at(-1)?.content)).toContain('was stopped by a hook')
      expect(of(troupe, 'assistant-message').at(-1)?.content).toMatchObject([
        { text: expect.stringContaining('was stopped by a hook') },
      ])
    },
  )

  test('the user can resume the agent with a message', async () => {
    const g = ground()
    const once = `test -e ${join(g.top, 'once')} || { touch ${join(g.top, 'once')}; ${STOP}; }`
    g.user(on('PreToolUse', 'Bash', once))
    const troupe = await run(g, [BASH], {
      during: async (one, id) => {
        await one.runtime.settled(id)
        await one.say(id, 'Continue')
      },
    })
    expect(of(troupe, 'assistant-message')).toHaveLength(2)
  })
})

test('a systemMessage is shown to the user, and not to the model', async () => {
  const g = ground()
  g.user(on('PreToolUse', 'Bash', says({ systemMessage: 'Two calls are left.' })))
  const troupe = await run(g, [BASH])
  expect(of(troupe, 'notice')).toMatchObject([
    { level: 'info', text: expect.stringMatching(/^Hook echo .*: Two calls are left\.$/) },
  ])
  expect(JSON.stringify(troupe.model.requests)).not.toContain('Two calls')
})

test('where continue: false can end nothing, its reason is shown', async () => {
  const g = ground()
  g.user(on('SessionStart', '', STOP))
  const troupe = await run(g, [], { script: script([echo], echo) })
  expect(of(troupe, 'notice')).toMatchObject([{ text: expect.stringContaining('The budget is spent.') }])
})

describe('a hook that asks', () => {
  const ask = {
    hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'Is it Friday?' },
  }
  test.each(['allow-once', 'deny'] as const)(
    'the user answers %s, although a mode allows the call',
    async (decision) => {
      const g = ground()
      g.user(on('PreToolUse', 'Bash', says(ask)))
      const troupe = await run(g, [BASH], {
        during: async (one, conversationId) => {
          const { agentId, requestId } = await one.when('permission-asked')
          const answer = decision === 'deny' ? { decision, feedback: null } : { decision }
          await one.runtime.dispatch({ type: 'agent.answer', conversationId, agentId, requestId, answer })
        },
      })
      expect(of(troupe, 'permission-asked')[0]?.because).toContain('Is it Friday?')
      expect(of(troupe, 'hook-ran')).toMatchObject([{ effect: 'asked' }])
      expect(of(troupe, 'tool-ended')).toMatchObject([{ isError: decision === 'deny' }])
    },
  )
})

describe('PreCompact', () => {
  test('of /compact has the trigger manual and what the user wants; its text reaches the request', async () => {
    const g = ground()
    const keep = says({ hookSpecificOutput: { additionalContext: 'Keep the paths.' } })
    g.user(on('PreCompact', 'manual', `${g.logger}; ${keep}`))
    const troupe = await run(g, [], {
      script: echo,
      during: async (one, id) => {
        await one.runtime.settled(id)
        await one.runtime.dispatch({
          type: 'conversation.compact',
          conversationId: id,
          instructions: 'The names',
        })
      },
    })
    expect(g.logged()).toMatchObject([
      { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: 'The names' },
    ])
    expect(JSON.stringify(troupe.model.requests.at(-1)?.messages)).toContain('Keep the paths.')
    expect(of(troupe, 'context-compacted')).toHaveLength(1)
  })

  test('of a full context has the trigger auto', async () => {
    const g = ground()
    g.user(on('PreCompact', 'auto', g.logger))
    const full: Script = (request) => {
      if (lastWords(request).includes('Write a summary')) return { text: 'A summary.' }
      const isFirst = request.messages.length === 1 && !lastWords(request).includes('A summary.')
      return isFirst ? { calls: [BASH], usage: { input: 990 } } : { text: 'done' }
    }
    await run(g, [], { contextTokens: 1000, script: full })
    expect(g.logged()).toMatchObject([{ trigger: 'auto', custom_instructions: '' }])
  })
})

test("the stop of an agent ends its running hook with the hook's children", async () => {
  const g = ground()
  const file = join(g.top, 'pid')
  g.user(on('PreToolUse', '', `sleep 600 & echo $! > ${file}; wait`))
  const troupe = await run(g, [BASH], {
    during: async (one, id) => {
      await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true)
      await one.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    },
  })
  const pid = Number(readFileSync(file, 'utf8'))
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(of(troupe, 'agent-ended')).toMatchObject([{ status: 'stopped', stoppedBy: 'user' }])
  expect(of(troupe, 'tool-started')).toEqual([])
})

test.each([false, true])(
  'an address that does not answer ends at its time limit; failClosed %s',
  async (failClosed) => {
    const g = ground()
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    g.user({ PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'http', url, timeout: 0.2, failClosed }] }] })
    const troupe = await run(g, [BASH])
    expect(of(troupe, 'hook-ran')).toMatchObject([{ effect: 'timed-out', exitCode: null }])
    expect(of(troupe, 'tool-ended')).toMatchObject([{ isError: failClosed }])
  },
)

test('with allowManagedHooksOnly only managed hooks run', async () => {
  const g = ground()
  g.user(on('PreToolUse', '', 'true # user'))
  g.put('data/settings.json', { hooks: on('PreToolUse', '', 'true # own') })
  g.put('managed.json', { allowManagedHooksOnly: true, hooks: on('PreToolUse', '', 'true # managed') })
  expect(of(await run(g, [BASH]), 'hook-ran')).toMatchObject([{ source: 'managed settings' }])
  const { entries } = await g.hooks.configured.read(g.folder, null)
  expect(entries.map(({ state }) => state)).toEqual(['on', 'disabled', 'disabled'])
})

test('only managed settings may set allowManagedHooksOnly', async () => {
  const g = ground()
  g.user(on('PreToolUse', '', 'true # user'), { allowManagedHooksOnly: true })
  expect(of(await run(g, [BASH]), 'hook-ran')).toMatchObject([{ source: 'user settings' }])
})

test("hooks of a project agent's definition wait for approval", async () => {
  const g = ground()
  const hooks = on('PreToolUse', 'Bash', 'echo guard >&2; exit 2')
  const [, general] = testDefinitions
  const definitions = [
    ...testDefinitions,
    { ...general!, name: 'guarded', source: 'project' as const, hooks },
  ]
  const calls = [agentCall('one', { subagent_type: 'guarded' })]
  const go = () => run(g, [], { definitions, script: script([{ calls }, echo], oneCall) })
  const first = await go()
  expect(of(first, 'hook-ran')).toEqual([])
  expect(of(first, 'notice').filter(({ text }) => text.includes('until you approve'))).toHaveLength(1)
  const own = { agent: 'guarded', source: 'project', hooks }
  const [entry] = (await g.hooks.configured.read(g.folder, own)).entries
  expect(entry).toMatchObject({ state: 'new', source: 'project-agent' })
  await g.approvals.decide(g.folder, approvableOf(entry!), 'approved')
  expect(of(await go(), 'hook-ran')).toMatchObject([{ source: 'agent guarded', effect: 'denied' }])
})
