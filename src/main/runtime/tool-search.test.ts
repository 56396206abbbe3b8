/** Deferred tools: only their names are in the requests, until the agent finds them with ToolSearch. */
import { expect, test } from 'vitest'
import type { EventOf } from '../../shared/events/agent-event.ts'
import { addedTool, deferredTools } from './testing/added-tool.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import type { Script } from './testing/scripted-model.ts'
import { agentCall, isMain, turnOf } from './testing/scripts.ts'
import {
  createTestRuntime,
  type TestOptions,
  type TestRuntime,
  testDefinitions,
} from './testing/test-runtime.ts'
import { TOOL_SEARCH } from './tools/tool-search.ts'

const { tools: big, ran } = deferredTools({
  mcp__big__close_issue: 'Closes an issue.',
  mcp__big__merge_pull: 'Merges a pull request.',
  mcp__big__read_log: 'Reads the log of a build.',
})

function withBig(script: Script, options: Partial<TestOptions> = {}): TestRuntime {
  const troupe = createTestRuntime({ ...options, script })
  troupe.runtime.tools.add('mcp:big', big)
  return troupe
}

const told = (troupe: TestRuntime, request: number) =>
  troupe.model.requests[request]?.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__')) ??
  []
const results = ({ events }: TestRuntime) =>
  events.filter((event): event is EventOf<'tool-ended'> => event.type === 'tool-ended')

test('the first request has the names alone; a found tool is announced, called and kept', async () => {
  const store = createMemoryStore()
  const troupe = withBig(
    (request) => {
      if (turnOf(request) === 1) return { calls: [[TOOL_SEARCH, { query: 'merge a pull request' }]] }
      return turnOf(request) === 2 ? { calls: [['mcp__big__merge_pull', {}]] } : { text: 'done' }
    },
    { store },
  )
  const id = await troupe.begin('Merge it')
  await troupe.runtime.settled(id)
  const search = troupe.model.requests[0]?.tools.find(({ name }) => name === TOOL_SEARCH)
  expect(search?.description).toContain('mcp__big__close_issue, mcp__big__merge_pull, mcp__big__read_log')
  expect(told(troupe, 0)).toEqual([])
  expect(told(troupe, 1)).toContain('mcp__big__merge_pull')
  expect(told(troupe, 1)).not.toContain('mcp__big__read_log')
  expect(ran).toEqual(['mcp__big__merge_pull'])
  expect(results(troupe)[0]?.content).toContain('mcp__big__merge_pull: Merges a pull request.')
  await troupe.runtime.close()

  const after = withBig(() => ({ text: 'done' }), { store })
  await after.say(id, 'And now?')
  await after.runtime.settled(id)
  expect(told(after, 0)).toContain('mcp__big__merge_pull')
  expect(after.events.filter(({ type }) => type === 'tools-changed')).toEqual([])
})

test('tools of several sources defer together once they are too large, in the order of their names', () => {
  const { tools } = createTestRuntime({ script: () => ({ text: '' }) }).runtime
  const plain = (name: string, length: number) =>
    addedTool(`mcp__big__${name}`, { description: 'x'.repeat(length), deferrable: true })
  tools.add('mcp:z', [plain('z', 19_000)])
  tools.add('mcp:a', [plain('a', 19_000)])
  const outside = () => tools.names('/a').filter((name) => name.startsWith('mcp__'))
  expect(outside()).toEqual(['mcp__big__a', 'mcp__big__z'])
  expect(tools.names('/a')).not.toContain(TOOL_SEARCH)
  const remove = tools.add('mcp:m', [plain('m', 3000)])
  expect(outside()).toEqual(['mcp__big__a', 'mcp__big__m', 'mcp__big__z'])
  expect(tools.names('/a')).toContain(TOOL_SEARCH)
  remove()
  expect(tools.names('/a')).not.toContain(TOOL_SEARCH)
})

test('what a source adds to be found is announced, and the requests keep their beginning', async () => {
  const troupe = withBig(() => ({ text: 'done' }))
  const id = await troupe.begin('Hi')
  await troupe.runtime.settled(id)
  troupe.runtime.tools.add('mcp:more', deferredTools({ mcp__big__send_mail: 'Sends a mail.' }).tools)
  await troupe.say(id, 'Again')
  await troupe.runtime.settled(id)
  const [first, second] = troupe.model.requests
  expect(second?.tools).toEqual(first?.tools)
  expect(JSON.stringify(second?.messages.at(-1))).toContain('mcp__big__send_mail')
  await troupe.say(id, 'And again')
  await troupe.runtime.settled(id)
  expect(troupe.events.filter(({ type }) => type === 'tools-changed')).toHaveLength(1)
})

test('a tool that was not found yet is refused with the next step', async () => {
  const { length } = ran
  const troupe = withBig((request) =>
    turnOf(request) === 1 ? { calls: [['mcp__big__read_log', {}]] } : { text: 'done' },
  )
  await troupe.runtime.settled(await troupe.begin('Read'))
  expect(ran).toHaveLength(length)
  expect(results(troupe)[0]?.content).toContain(
    'find it first, with ToolSearch and the query "mcp__big__read_log"',
  )
})

test('a search finds exact names alone, and says what it did not find', async () => {
  const troupe = withBig((request) =>
    turnOf(request) === 1
      ? {
          calls: [
            [TOOL_SEARCH, { query: 'mcp__big__read_log,mcp__big__close_issue' }],
            [TOOL_SEARCH, { query: 'weather' }],
          ],
        }
      : { text: 'done' },
  )
  await troupe.runtime.settled(await troupe.begin('Find'))
  expect(told(troupe, 1)).toEqual(['mcp__big__close_issue', 'mcp__big__read_log'])
  expect(results(troupe)[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining('No tool that you may use matches "weather".'),
  })
})

test('a definition that denies a tool does not find it, and one without ToolSearch has its tools at once', async () => {
  const base = testDefinitions.find(({ name }) => name === 'general-purpose')!
  const definitions = [
    ...testDefinitions,
    { ...base, name: 'denied', disallowedTools: ['mcp__big__read_log'] },
    { ...base, name: 'listed', tools: ['Read', 'mcp__big__read_log'] },
  ]
  const troupe = withBig(
    (request) => {
      if (isMain(request))
        return turnOf(request) === 1
          ? {
              calls: [
                agentCall('a', { subagent_type: 'denied' }),
                agentCall('b', { subagent_type: 'listed' }),
              ],
            }
          : { text: 'done' }
      const has = request.tools.some(({ name }) => name === TOOL_SEARCH)
      return has && turnOf(request) === 1 ? { calls: [[TOOL_SEARCH, { query: 'log' }]] } : { text: 'done' }
    },
    { definitions },
  )
  await troupe.runtime.settled(await troupe.begin('Go'))
  const ended = results(troupe).find(({ name }) => name === TOOL_SEARCH)
  expect(ended?.content).toContain('1 more matched, which you may not use.')
  const listed = troupe.model.requests.find(({ tools }) => !tools.some(({ name }) => name === TOOL_SEARCH))
  expect(listed?.tools.map(({ name }) => name)).toContain('mcp__big__read_log')
})

test.each([
  [['mcp__big__merge_pull'], 'Tools to find: mcp__big__close_issue, mcp__big__read_log.'],
  [['mcp__big'], undefined],
])('a tool that the rule %s denies is not among the tools to find', async (deny, text) => {
  const troupe = withBig(() => ({ text: 'done' }), { ports: { rules: createMemoryRules({ deny }) } })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const search = troupe.model.requests[0]?.tools.find(({ name }) => name === TOOL_SEARCH)
  expect(search?.description.split('\n').at(-1)).toBe(text)
})

test('the search comes and goes with deferred tools, and only in their folder', () => {
  const { tools } = createTestRuntime({ script: () => ({ text: '' }) }).runtime
  expect(tools.names()).not.toContain(TOOL_SEARCH)
  const remove = tools.add('mcp:big', big, '/a')
  expect(tools.names('/a')).toContain(TOOL_SEARCH)
  expect(tools.names('/b')).not.toContain(TOOL_SEARCH)
  remove()
  expect(tools.names('/a')).not.toContain(TOOL_SEARCH)
})
