import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentCall, type Call, echo, script } from './runtime/testing/scripts.ts'
import { BASH, bash, ground, of, on, run } from './testing/real-hooks.ts'

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`
const STOP = says({ continue: false, stopReason: 'The budget is spent.' })
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
      'Not run: the agent was stopped before.',
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

  test('at a permission request: the user is not asked', async () => {
    const g = ground()
    g.user(on('PermissionRequest', 'Bash', STOP))
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
