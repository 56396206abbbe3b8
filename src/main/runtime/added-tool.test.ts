/** An external tool is added to a running conversation, needs permission, is called and removed, and survives a reopen. */
import { describe, expect, test } from 'vitest'
import type { EventOf } from '../../shared/events/agent-event.ts'
import type { AnyTool } from './ports/tool.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import type { Script } from './testing/scripted-model.ts'
import { agentCall, isMain, turnOf } from './testing/scripts.ts'
import {
  createTestRuntime,
  type TestOptions,
  type TestRuntime,
  testDefinitions,
} from './testing/test-runtime.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
  additionalProperties: false,
}

const forecast = (ran: string[] = []): AnyTool => ({
  name: 'forecast',
  aliases: [],
  description: 'Tells the weather of a city.',
  schema,
  kind: 'other',
  icon: 'plug',
  label: 'weather forecast',
  concurrent: false,
  sideEffects: () => true,
  summary: ({ city }) => city,
  run: async ({ city }) => {
    ran.push(city)
    return { isError: false, content: `Rain in ${city}.`, note: 'rain' }
  },
})

const ofType = <T extends 'tool-ended' | 'tool-started' | 'tools-changed' | 'permission-asked'>(
  { events }: TestRuntime,
  type: T,
) => events.filter((event): event is EventOf<T> => event.type === type)
const results = (troupe: TestRuntime) => ofType(troupe, 'tool-ended').map(({ content }) => content)
const toolsOf = (troupe: TestRuntime, request: number) =>
  troupe.model.requests[request]?.tools.map(({ name }) => name) ?? []

/** Calls the tool for each message of the user. */
const callsForecast =
  (input: object = { city: 'Bern' }): Script =>
  (request) =>
    request.messages.at(-1)?.content.some(({ type }) => type === 'tool_result')
      ? { text: 'done' }
      : { calls: [['forecast', input]] }

/** The conversation has ended its first turn, in which the tool did not exist. */
async function begun(script: Script, options: Partial<TestOptions> = {}) {
  let first = true
  const troupe = createTestRuntime({
    ...options,
    script: (request, signal) => {
      if (!first) return script(request, signal)
      first = false
      return { text: 'Hello.' }
    },
  })
  const id = await troupe.begin('Hello')
  await troupe.runtime.settled(id)
  const say = async (text: string) => {
    await troupe.say(id, text)
    await troupe.runtime.settled(id)
  }
  return { troupe, id, say }
}

async function allow(troupe: TestRuntime, conversationId: string, decision: 'allow-once' | 'allow-always') {
  const { agentId, requestId, alwaysRule } = await troupe.when('permission-asked')
  await troupe.runtime.dispatch({
    type: 'agent.answer',
    conversationId,
    agentId,
    requestId,
    answer: { decision },
  })
  return alwaysRule
}

describe('a tool added to a running conversation', () => {
  test('is announced once, comes last in the requests, needs permission, and runs', async () => {
    const ran: string[] = []
    const { troupe, id, say } = await begun(callsForecast())
    troupe.runtime.tools.add('weather', [forecast(ran)])
    await troupe.say(id, 'Will it rain?')
    expect(await allow(troupe, id, 'allow-always')).toBe('forecast')
    await troupe.runtime.settled(id)
    await say('And now?')

    expect(ran).toEqual(['Bern', 'Bern'])
    expect(ofType(troupe, 'permission-asked')).toHaveLength(1)
    expect(ofType(troupe, 'permission-asked')[0]?.subject).toMatchObject({ action: 'use weather forecast' })
    expect(toolsOf(troupe, 1)).toEqual([...toolsOf(troupe, 0), 'forecast'])
    expect(troupe.model.requests[1]?.tools.at(-1)?.input_schema).toEqual(schema)
    expect(ofType(troupe, 'tools-changed').map(({ note }) => note)).toEqual([
      'New or changed tool: forecast.',
    ])
    expect(ofType(troupe, 'tool-started')[0]?.row).toEqual({
      kind: 'other',
      icon: 'plug',
      label: 'weather forecast',
    })
  })

  test('has its input checked against its JSON Schema, and small errors corrected', async () => {
    const ran: string[] = []
    const wrong = await begun(callsForecast({ days: 2 }))
    wrong.troupe.runtime.tools.add('weather', [forecast(ran)])
    await wrong.say('Will it rain?')
    expect(results(wrong.troupe)).toEqual([expect.stringContaining('`city` is missing')])
    expect(ran).toEqual([])

    const slip = await begun(callsForecast({ city: 'Bern', days: '2' }))
    slip.troupe.runtime.tools.add('weather', [forecast(ran)])
    await slip.troupe.say(slip.id, 'Will it rain?')
    await allow(slip.troupe, slip.id, 'allow-once')
    await slip.troupe.runtime.settled(slip.id)
    expect(ofType(slip.troupe, 'tool-started')[0]?.input).toEqual({ city: 'Bern', days: 2 })
  })

  test('stays in the requests after its removal, and a call reports the removal', async () => {
    const { troupe, id, say } = await begun(callsForecast())
    const remove = troupe.runtime.tools.add('weather', [forecast()])
    remove()
    await say('Nothing was there in time.')
    expect(results(troupe)).toEqual([expect.stringContaining('There is no tool forecast.')])

    const removeAgain = troupe.runtime.tools.add('weather', [forecast()])
    await troupe.runtime.dispatch({
      type: 'conversation.setMode',
      conversationId: id,
      permissionMode: 'dontAsk',
    })
    await say('It is there.')
    removeAgain()
    await say('It is gone.')
    expect(results(troupe).at(-1)).toContain(
      'forecast is not available to you: its source weather was removed.',
    )
    expect(toolsOf(troupe, troupe.model.requests.length - 1)).toContain('forecast')
    expect(ofType(troupe, 'tools-changed').map(({ removed }) => removed)).toEqual([[], ['forecast']])
  })

  test('survives a reopen, and a call names the missing source until it returns', async () => {
    const store = createMemoryStore()
    const before = await begun(callsForecast(), { store })
    before.troupe.runtime.tools.add('weather', [forecast()])
    await before.troupe.say(before.id, 'Will it rain?')
    await allow(before.troupe, before.id, 'allow-once')
    await before.troupe.runtime.settled(before.id)
    await before.troupe.runtime.close()

    const ran: string[] = []
    const after = createTestRuntime({ store, script: callsForecast() })
    await after.say(before.id, 'And now?')
    await after.runtime.settled(before.id)
    expect(toolsOf(after, 0).at(-1)).toBe('forecast')
    expect(results(after)).toEqual([
      expect.stringContaining('its source weather has not been added since Troupe was started'),
    ])
    expect(ofType(after, 'tools-changed')).toEqual([])

    after.runtime.tools.add('weather', [forecast(ran)])
    await after.say(before.id, 'And now?')
    await allow(after, before.id, 'allow-once')
    await after.runtime.settled(before.id)
    expect(ran).toEqual(['Bern'])
    expect(ofType(after, 'tools-changed')).toEqual([])
  })

  test('reaches a running subagent if its definition allows the tool', async () => {
    const definitions = testDefinitions.map((definition) =>
      definition.name === 'general-purpose' ? { ...definition, disallowedTools: ['forecast'] } : definition,
    )
    const troupe = createTestRuntime({
      definitions: [...definitions, { ...testDefinitions[1]!, name: 'free' }],
      script: (request) => {
        if (isMain(request))
          return turnOf(request) === 1
            ? { calls: [agentCall('a', { subagent_type: 'free' }), agentCall('b')] }
            : { text: 'done' }
        if (turnOf(request) > 1) return { text: 'done' }
        if (!troupe.runtime.tools.names().includes('forecast'))
          troupe.runtime.tools.add('weather', [forecast()])
        return { calls: [['TodoWrite', { todos: [] }]] }
      },
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const named = (name: string) =>
      troupe.events.find((event) => event.type === 'agent-spawned' && event.definition.name === name)?.agentId
    const changed = ofType(troupe, 'tools-changed').map(({ agentId }) => agentId)
    expect(changed).toContain(named('free'))
    expect(changed).not.toContain(named('general-purpose'))
  })
})

test('a source can be added once, and no tool can reuse a name', () => {
  const { tools } = createTestRuntime({ script: () => ({ text: '' }) }).runtime
  const remove = tools.add('weather', [forecast()])
  expect(() => tools.add('weather', [])).toThrow('has been added already')
  expect(() => tools.add('other', [forecast()])).toThrow('There is a tool forecast already.')
  expect(() => tools.add('other', [{ ...forecast(), name: 'Bash' }])).toThrow('There is a tool Bash already.')
  expect(() => tools.add('other', [{ ...forecast(), name: 'a b' }])).toThrow('is not a tool name')
  remove()
  tools.add('other', [forecast()])
  remove()
  expect(tools.names()).toContain('forecast')
})
