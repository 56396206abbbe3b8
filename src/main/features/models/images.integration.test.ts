/** Images on their way to the API: none that it refuses leaves the program, and one that it refuses all the same goes. */
import { expect, test } from 'vitest'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { createDocumentReader, documentScript } from '../../platform/documents/documents.ts'
import { smallPng } from '../../platform/documents/testing/small-png.ts'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { type FaultyApi, faultyApi } from '../../testing/faulty-api.ts'
import type { ScriptedFault, ScriptedReply } from '../rehearsal/director.ts'

const documents = createDocumentReader({ script: documentScript('/nowhere') })
const says = (text: string, fault?: ScriptedFault): ScriptedReply => ({
  blocks: [{ type: 'text', text }],
  ...(fault && { fault }),
})
const shows: ScriptedReply = { blocks: [{ type: 'tool_use', name: 'mcp__camera__shoot', input: {} }] }
const imageOf = (data: Buffer, type = 'image/png'): UserBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: type as 'image/png', data: data.toString('base64') },
})
const PNG = smallPng(40, 30)

/** A tool of a server, which returns these blocks. */
const camera = (content: readonly UserBlock[]): AnyTool => ({
  name: 'mcp__camera__shoot',
  aliases: [],
  description: 'Takes a picture.',
  schema: { type: 'object', properties: {} },
  kind: 'read',
  icon: 'plug',
  concurrent: true,
  sideEffects: () => false,
  summary: () => '',
  target: async () => ({ kind: 'none' }),
  run: async () => ({ isError: false, content: [...content], note: '1 image' }),
})

async function withCamera(replies: readonly ScriptedReply[], content: readonly UserBlock[]) {
  const troupe = await faultyApi(replies, { ports: { documents } })
  troupe.runtime.tools.add('mcp:camera', [camera(content)])
  return troupe
}

const eventsOf = <T extends FaultyApi['events'][number]['type']>(troupe: FaultyApi, type: T) =>
  troupe.events.filter((event): event is EventOf<T> => event.type === type)
const lastRequest = ({ server }: FaultyApi) => server.requests.at(-1)?.text ?? ''

test.for<[string, UserBlock, string]>([
  ['cut short', imageOf(PNG.subarray(0, PNG.length - 20)), 'It is truncated or damaged.'],
  ['none at all', imageOf(Buffer.from('not an image, whatever it says')), 'It is no PNG, JPEG, GIF or WebP'],
  ['empty', imageOf(Buffer.alloc(0)), 'It is no PNG, JPEG, GIF or WebP'],
  ['too large to decode', imageOf(withSize(60_000, 60_000)), 'It is too large: 60,000 × 60,000 pixels'],
])('a tool’s image that is %s becomes text, and the conversation goes on', async ([, image, reason]) => {
  const troupe = await withCamera([shows, says('Seen.')], [image])
  const state = await troupe.runtime.settled(await troupe.begin('Look'))
  expect(state).toMatchObject({ status: 'waiting', lastLine: 'Seen.' })
  expect(eventsOf(troupe, 'tool-ended')[0]).toMatchObject({
    isError: true,
    content: expect.stringContaining(reason),
  })
  expect(eventsOf(troupe, 'part-refused')).toEqual([])
})

function withSize(width: number, height: number): Buffer {
  const png = Buffer.from(PNG)
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  return png
}

test('an image of another type than it says is sent as what it is, and a good one is kept beside a bad one', async () => {
  const content = [
    imageOf(PNG, 'image/jpeg'),
    imageOf(PNG.subarray(0, 60)),
    { type: 'text', text: 'three' },
  ] as const
  const troupe = await withCamera([shows, says('Seen.')], content)
  await troupe.runtime.settled(await troupe.begin('Look'))
  expect(eventsOf(troupe, 'tool-ended')[0]).toMatchObject({
    isError: false,
    content: [
      imageOf(PNG),
      { type: 'text', text: expect.stringContaining('An image was left out') },
      { type: 'text', text: 'three' },
    ],
  })
})

test('more than 20 large images are in one request', async () => {
  const troupe = await withCamera(
    [shows, says('Seen.')],
    Array.from({ length: 21 }, () => imageOf(smallPng(2600, 20))),
  )
  const state = await troupe.runtime.settled(await troupe.begin('Look'))
  expect(state).toMatchObject({ lastLine: 'Seen.' })
  expect(lastRequest(troupe).match(/"type":"image"/g)).toHaveLength(21)
  expect(lastRequest(troupe)).toContain('[The image has 2,600 × 20 pixels')
})

test('a message with a damaged image is refused with the reason', async () => {
  const troupe = await faultyApi([says('Seen.')], { ports: { documents } })
  const id = await troupe.begin('Hello')
  await troupe.runtime.settled(id)
  const sent = await troupe.runtime.dispatch({
    type: 'conversation.send',
    conversationId: id,
    agentId: null,
    content: [imageOf(PNG.subarray(0, 50))],
  })
  expect(sent).toMatchObject({
    failure: { type: 'bad-image', message: expect.stringContaining('truncated') },
  })
})

const refuses = (message: string): ScriptedFault => ({
  kind: 'status',
  status: 400,
  type: 'invalid_request_error',
  message,
})

test.for([
  'messages.2.content.0.tool_result.content.1.image.source.base64.data: Could not process image',
  'messages.2.content.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
  'Could not process image',
])('an image that the API refuses (%s) is replaced by text', async (message) => {
  const content = [{ type: 'text', text: 'Before.' } as const, imageOf(PNG)]
  const troupe = await withCamera([shows, says('', refuses(message)), says('Seen.'), says('Again.')], content)
  const id = await troupe.begin('Look')
  expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', lastLine: 'Seen.' })
  expect(eventsOf(troupe, 'part-refused')).toMatchObject([
    { part: { kind: 'block', message: 2, block: 0, inner: 1 }, reason: expect.stringContaining(message) },
  ])
  expect(lastRequest(troupe)).not.toContain('"type":"image"')
  expect(lastRequest(troupe)).toContain('An image was left out here, because the API refused it')
  await troupe.say(id, 'And?')
  await troupe.runtime.settled(id)
  expect(lastRequest(troupe)).not.toContain('"type":"image"')
})

test('an older image that the API refuses goes too, and a place without an image changes nothing', async () => {
  const content = [imageOf(PNG)]
  const bad = 'messages.2.content.0.tool_result.content.0.image.source: invalid'
  const troupe = await withCamera(
    [
      shows,
      says('Seen.'),
      says('', refuses(bad)),
      says('On.'),
      says('', refuses('messages.0.content.0: no')),
    ],
    content,
  )
  const id = await troupe.begin('Look')
  await troupe.runtime.settled(id)
  await troupe.say(id, 'And?')
  expect(await troupe.runtime.settled(id)).toMatchObject({ lastLine: 'On.' })
  await troupe.say(id, 'And now?')
  expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'failed' })
  expect(eventsOf(troupe, 'part-refused')).toHaveLength(1)
})

test('a tool whose schema the API refuses goes, and the request is repeated', async () => {
  const troupe = await withCamera([says('', refuses('tools.0.custom.input_schema: bad')), says('On.')], [])
  const id = await troupe.begin('Look')
  expect(await troupe.runtime.settled(id)).toMatchObject({ lastLine: 'On.' })
  const first = JSON.parse(troupe.server.requests[0]?.text ?? '{}').tools[0].name
  expect(eventsOf(troupe, 'part-refused')).toMatchObject([{ part: { kind: 'tool', name: first } }])
  const names = JSON.parse(lastRequest(troupe)).tools.map(({ name }: { name: string }) => name)
  expect(names).not.toContain(first)
  expect(names.length).toBeGreaterThan(3)
  expect(lastRequest(troupe)).toContain(`You no longer have the tool ${first}`)
})
