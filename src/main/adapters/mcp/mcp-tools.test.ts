import { describe, expect, test } from 'vitest'
import { namesInTools, toolsOf } from './mcp-tools.ts'

const connection = { callTool: async () => ({ isError: false, content: '', note: '' }) }
const tool = (name: string, description = '') => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
})
const many = (count: number, description = '') =>
  Array.from({ length: count }, (_, index) => tool(`tool-${index}`, description))
const deferredOf = (list: ReturnType<typeof many>) =>
  new Set(toolsOf({ name: 'big' }, connection, list).tools.map(({ deferred }) => deferred))

describe('a server’s tools are offered by search', () => {
  test('if they are more than 40', () => {
    expect(deferredOf(many(40))).toEqual(new Set([false]))
    expect(deferredOf(many(41))).toEqual(new Set([true]))
  })

  test('if their schemas fill more than a tenth of the context', () => {
    expect(deferredOf(many(19, 'x'.repeat(4000)))).toEqual(new Set([false]))
    expect(deferredOf(many(20, 'x'.repeat(4000)))).toEqual(new Set([true]))
  })
})

test('names that can’t be used are left out with the reason', () => {
  const { tools, problems } = toolsOf({ name: 'a b' }, connection, [
    tool('x.y'),
    tool('x y'),
    tool('z'.repeat(130)),
  ])
  expect(tools.map(({ name }) => name)).toEqual(['mcp__a_b__x_y'])
  expect(problems).toEqual([
    expect.stringContaining('another one has its name'),
    expect.stringContaining('its name is too long'),
  ])
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
