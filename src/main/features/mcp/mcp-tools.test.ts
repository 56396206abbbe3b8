import { expect, test } from 'vitest'
import { namesInTools, toolsOf } from './mcp-tools.ts'

const connection = { callTool: async () => ({ isError: false, content: '', note: '' }) }
const tool = (name: string, description = '') => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
})
test('names with characters that the API does not take stay apart, whatever their order', () => {
  const names = ['x.y', 'x y', 'x_y']
  const { tools, problems } = toolsOf(
    { name: 'a b' },
    connection,
    names.map((name) => tool(name)),
  )
  expect(problems).toEqual([])
  expect(tools).toHaveLength(3)
  for (const { name } of tools) expect(name).toMatch(/^mcp__a_b__x_y(-[0-9a-f]{6})?$/)
  const turned = toolsOf(
    { name: 'a b' },
    connection,
    names.toReversed().map((name) => tool(name)),
  )
  expect(turned.tools.map(({ name, label }) => [name, label])).toEqual(
    tools.map(({ name, label }) => [name, label]),
  )
  expect(tools[0]).toMatchObject({ name: 'mcp__a_b__x_y', label: 'a b x_y' })
  expect(toolsOf({ name: 'a b' }, connection, [tool('x.y')]).tools[0]?.name).toBe('mcp__a_b__x_y')
})

test('a long name is shortened, and a rule for the whole one still names the tool', () => {
  const long = `find_${'z'.repeat(130)}`
  const { tools, problems } = toolsOf({ name: 'a' }, connection, [
    tool(`${long}1`),
    tool(`${long}2`),
    tool(`${long}2`),
  ])
  expect(new Set(tools.map(({ name }) => name)).size).toBe(2)
  for (const { name } of tools) expect(name).toMatch(/^mcp__a__find_z+-[0-9a-f]{6}$/)
  for (const { name } of tools) expect(name).toHaveLength(64)
  expect(tools.flatMap(({ aliases }) => aliases).sort()).toEqual([`mcp__a__${long}1`, `mcp__a__${long}2`])
  expect(problems).toEqual([expect.stringContaining('the server lists it twice')])
})

test('a schema that can’t be brought into the API’s form costs its tool alone; the others come by name', () => {
  const bad = { ...tool('bad'), inputSchema: { type: 'object' as const, properties: { a: 'text' as never } } }
  const { tools, problems, unusable } = toolsOf({ name: 's' }, connection, [tool('one'), bad, tool('a_two')])
  expect(tools.map(({ name, unusable }) => [name, unusable])).toEqual([
    ['mcp__s__a_two', undefined],
    ['mcp__s__bad', 'its schema has "text" where a schema belongs'],
    ['mcp__s__one', undefined],
  ])
  expect([...unusable.keys()]).toEqual(['bad'])
  expect(problems).toEqual(['The tool bad is not used: its schema has "text" where a schema belongs.'])
})

test('the server gets its own names of properties that the API does not take', async () => {
  const inputs: unknown[] = []
  const own = { callTool: async (_: unknown, input: unknown) => inputs.push(input) as never }
  const inner = { type: 'object', properties: { 'user name': { type: 'string' }, plain: {} } }
  const schema = {
    type: 'object' as const,
    properties: {
      $filter: { type: 'string', description: 'OData.' },
      _filter: { type: 'string' },
      list: { type: 'array', items: { $ref: '#/definitions/inner' } },
      free: { type: 'object', additionalProperties: true },
    },
    required: ['$filter'],
    definitions: { inner },
  }
  const [made] = toolsOf({ name: 's' }, own, [{ name: 'find', inputSchema: schema }]).tools
  const shown = made?.shown?.schema as typeof schema
  expect(Object.keys(shown.properties)).toEqual(['_filter_2', '_filter', 'list', 'free'])
  expect(shown).toMatchObject({
    required: ['_filter_2'],
    definitions: { inner: { properties: { user_name: { type: 'string' } } } },
    properties: { _filter_2: { description: 'OData. (The server calls it "$filter".)' } },
  })
  const input = { _filter_2: 'a', _filter: 'b', list: [{ user_name: 'x', plain: 1 }], free: { user_name: 1 } }
  expect(made?.shown?.restored(input)).toEqual({
    $filter: 'a',
    _filter: 'b',
    list: [{ 'user name': 'x', plain: 1 }],
    free: { user_name: 1 },
  })
  expect(made?.schema).toMatchObject({ required: ['$filter'] })
})

test('the name of a server that could stand for another one is changed', () => {
  const named = (server: string) =>
    toolsOf({ name: server }, { callTool: async () => ({ isError: false, content: '', note: '' }) }, [
      { name: 'read', inputSchema: { type: 'object' } },
    ]).tools.map(({ name }) => name)
  expect(named('good')).toEqual(['mcp__good__read'])
  expect(named('claude.ai Docs')).toEqual(['mcp__claude_ai_Docs__read'])
  for (const server of ['good__evil', 'good_', '_good', 'good _'])
    expect(named(server)[0]).toMatch(/^mcp__good(_evil)?-[0-9a-f]{6}__read$/)
})

test('no two servers have one name in the names of tools', () => {
  const names = [...namesInTools(['a_b', 'a.b', 'a b', 'good', 'GOOD', 'x.y']).values()]
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual([
    'a_b',
    expect.stringMatching(/^a_b-[0-9a-f]{6}$/),
    expect.stringMatching(/^a_b-[0-9a-f]{6}$/),
    ...['good', 'GOOD', 'x_y'],
  ])
})
