import { expect, test } from 'vitest'
import type { ScriptedReply } from '../../features/rehearsal/director.ts'
import { asks, rehearsed, says } from '../../features/rehearsal/testing/rehearsed-client.ts'
import type { ModelRequest } from '../../runtime/ports/model.ts'

const searching = (domains: Partial<ModelRequest['webSearch']> = {}): ModelRequest => ({
  ...asks([says('The query: troupe')]),
  tools: [],
  webSearch: { allowedDomains: [], blockedDomains: [], ...domains },
})
const found: ScriptedReply = {
  blocks: [
    {
      type: 'web_search',
      text: 'troupe',
      results: [
        { url: 'https://a.example/', title: 'A', page_age: '2 days ago' },
        { url: 'https://b.example/', title: 'B' },
      ],
    },
    {
      type: 'text',
      text: 'A troupe is a group.',
      citations: [{ url: 'https://a.example/', title: 'A', cited_text: 'A group of actors.' }],
    },
  ],
}

test('results arrive with the quotes of the message, and the call of the server goes back as it came', async () => {
  const { ask } = await rehearsed(found)
  const { result, deltas } = await ask(searching())
  expect(result).toMatchObject({
    ok: true,
    value: {
      stopReason: 'end_turn',
      content: [
        { type: 'foreign', block: { type: 'server_tool_use', name: 'web_search' } },
        { type: 'foreign', block: { type: 'web_search_tool_result' } },
        { type: 'text', text: 'A troupe is a group.' },
      ],
      webSearch: {
        error: null,
        results: [
          { url: 'https://a.example/', title: 'A', age: '2 days ago', snippets: ['A group of actors.'] },
          { url: 'https://b.example/', title: 'B', age: null, snippets: [] },
        ],
      },
    },
  })
  expect(result.ok && result.value.notes).toBeUndefined()
  expect(deltas.map(({ kind }) => kind)).toEqual(['text'])
})

test('an error of the search arrives with its code', async () => {
  const { ask } = await rehearsed({
    blocks: [
      { type: 'web_search', text: 'troupe', results: 'max_uses_exceeded' },
      { type: 'text', text: 'Sorry.' },
    ],
  })
  expect((await ask(searching())).result).toMatchObject({
    value: { webSearch: { results: [], error: 'max_uses_exceeded' } },
  })
})

test('a message without a search says nothing about one', async () => {
  const { ask } = await rehearsed({ blocks: [{ type: 'text', text: 'I know that already.' }] })
  const { result } = await ask(searching())
  expect(result.ok && result.value).not.toHaveProperty('webSearch')
  // The script makes no search that the request does not allow.
  const plain = await rehearsed(found)
  expect((await plain.ask()).result).toMatchObject({ ok: true, value: { content: [{ type: 'text' }] } })
})

test('the request names the domains, and the server accepts one list only', async () => {
  const { ask, server } = await rehearsed(found)
  expect((await ask(searching({ allowedDomains: ['a.example'] }))).result.ok).toBe(true)
  expect(server.requests[0]?.body).toMatchObject({
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1, allowed_domains: ['a.example'] }],
  })
  const both = await ask(searching({ allowedDomains: ['a.example'], blockedDomains: ['b.example'] }))
  expect(both.result).toMatchObject({ ok: false, failure: { type: 'bad-request' } })
})
