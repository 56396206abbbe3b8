/** Tools that a search finds: their schemas come with its result, and what is cached stays as it was. */
import { expect, test } from 'vitest'
import { createModelCatalog } from '../../platform/models/model-catalog.ts'
import { deferredTools } from '../../runtime/testing/added-tool.ts'
import { TOOL_SEARCH } from '../../runtime/tools/tool-search.ts'
import { type FaultyApi, faultyApi } from '../../testing/faulty-api.ts'
import type { ScriptedReply } from '../rehearsal/director.ts'

const says = (text: string): ScriptedReply => ({ blocks: [{ type: 'text', text }] })
const calls = (name: string, input: object): ScriptedReply => ({
  blocks: [{ type: 'tool_use', name, input }],
})
const searches = calls(TOOL_SEARCH, { query: 'mcp__big__merge_pull' })
const merges = calls('mcp__big__merge_pull', {})

async function play(replies: readonly ScriptedReply[], options: Parameters<typeof faultyApi>[1] = {}) {
  const troupe = await faultyApi(replies, options)
  const { tools, ran } = deferredTools({ mcp__big__close_issue: 'Closes.', mcp__big__merge_pull: 'Merges.' })
  troupe.runtime.tools.add('mcp:big', tools)
  return { ...troupe, ran }
}

const sonnetAs = (model: string) => ({ ...createModelCatalog({}), resolve: () => model })

const bodyOf = ({ server }: FaultyApi, request: number) =>
  JSON.parse(server.requests.at(request)?.text ?? '{}')

test('a found tool is a reference in the result, and its schema is deferred', async () => {
  const troupe = await play([searches, merges, says('Merged.')], {
    ports: { models: sonnetAs('claude-sonnet-5-5') },
  })
  const id = await troupe.begin('Merge it')
  expect(await troupe.runtime.settled(id)).toMatchObject({ lastLine: 'Merged.' })
  expect(troupe.ran).toEqual(['mcp__big__merge_pull'])
  const [first, second] = [bodyOf(troupe, 0), bodyOf(troupe, 1)]
  expect(second.tools.slice(0, -1)).toEqual(first.tools)
  expect(second.tools.at(-1)).toMatchObject({ name: 'mcp__big__merge_pull', defer_loading: true })
  expect(second.messages.at(-1).content).toMatchObject([
    {
      type: 'tool_result',
      is_error: false,
      content: [{ type: 'tool_reference', tool_name: 'mcp__big__merge_pull' }],
    },
  ])
  expect(JSON.stringify(second.messages.at(-1))).not.toContain('New or changed tools')
  // All of the first request is read from the cache.
  const usages = troupe.events.flatMap((event) => (event.type === 'assistant-message' ? [event.usage] : []))
  expect(usages[1]?.cacheRead).toBe((usages[0]?.cacheWrite ?? 0) + (usages[0]?.cacheRead ?? 0))
})

test('a model without references gets the schema and the text', async () => {
  const troupe = await play([searches, merges, says('Merged.')], {
    ports: { models: sonnetAs('local-model') },
  })
  await troupe.runtime.settled(await troupe.begin('Merge it'))
  expect(troupe.ran).toEqual(['mcp__big__merge_pull'])
  const second = bodyOf(troupe, 1)
  expect(JSON.stringify(second)).not.toContain('defer_loading')
  expect(second.tools.map(({ name }: { name: string }) => name)).toContain('mcp__big__merge_pull')
  expect(JSON.stringify(second.messages.at(-1))).toContain('Added to your tools')
})
