import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { ShareFormat } from '../../../../shared/sharing/sharing.ts'
import { unwrap } from '../../../platform/transcripts/testing/open-store.ts'
import { sendShare, shareChunks } from '../share-conversation.ts'
import { MAIN, READER } from '../testing/sample-conversation.ts'
import { sharedStore } from '../testing/shared-store.ts'

async function exported(format: ShareFormat): Promise<string> {
  const { deps, share } = await sharedStore()
  let text = ''
  for await (const chunk of unwrap(await shareChunks({ ...share, format }, deps)))
    text += Buffer.from(unwrap(chunk)).toString()
  return text
}

// ---- Chrome's Trace Event Format, as far as Perfetto's importer reads it. ----

const where = { pid: z.literal(1), tid: z.number().int().positive() }
const traceEvent = z.discriminatedUnion('ph', [
  z.strictObject({
    ...where,
    ph: z.literal('M'),
    name: z.enum(['process_name', 'thread_name', 'thread_sort_index']),
    args: z.union([z.strictObject({ name: z.string() }), z.strictObject({ sort_index: z.number() })]),
  }),
  z.strictObject({
    ...where,
    ph: z.literal('X'),
    name: z.string().min(1),
    cat: z.string(),
    ts: z.number().int(),
    dur: z.number().int().nonnegative(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    ...where,
    ph: z.literal('s'),
    name: z.string(),
    cat: z.string(),
    id: z.number(),
    ts: z.number(),
  }),
  z.strictObject({
    ...where,
    ph: z.literal('f'),
    bp: z.literal('e'),
    name: z.string(),
    cat: z.string(),
    id: z.number(),
    ts: z.number(),
  }),
])
const trace = z.strictObject({ traceEvents: z.array(traceEvent) })

type Slice = Extract<z.infer<typeof traceEvent>, { ph: 'X' }>

test('the trace has the conversation as process, agents as threads and arrows as flows', async () => {
  const { traceEvents } = trace.parse(JSON.parse(await exported('trace')))
  const names = traceEvents.flatMap((event) =>
    event.ph === 'M' && 'name' in event.args ? [[event.name, event.args.name]] : [],
  )
  expect(names).toEqual([
    ['process_name', 'Make the retries honest'],
    ['thread_name', 'Main agent'],
    ['thread_name', 'Read the retry path'],
    ['thread_name', 'Write the test'],
    // Two of its calls ran at the same time.
    ['thread_name', 'Read the retry path (2)'],
  ])
  const slices = traceEvents.filter((event): event is Slice => event.ph === 'X')
  expect(slices.filter(({ cat }) => cat === 'model')).toHaveLength(6)
  expect(slices.find(({ name }) => name === 'Bash env')).toMatchObject({
    cat: 'tool',
    args: { outcome: 'done', note: 'exit code 0', turn: 1 },
  })
  const flows = traceEvents.filter(({ ph }) => ph === 's' || ph === 'f')
  expect(flows.map(({ name }) => name).sort()).toEqual([
    'report',
    'report',
    'report',
    'report',
    'start',
    'start',
    'start',
    'start',
  ])
})

test('in the trace, slices of a thread nest, and each end of a flow is in a slice', async () => {
  const { traceEvents } = trace.parse(JSON.parse(await exported('trace')))
  const byThread = new Map<number, Slice[]>()
  for (const event of traceEvents)
    if (event.ph === 'X') byThread.set(event.tid, [...(byThread.get(event.tid) ?? []), event])
  for (const slices of byThread.values()) {
    slices.sort((a, b) => a.ts - b.ts || b.dur - a.dur)
    const open: number[] = []
    for (const { ts, dur, name } of slices) {
      while (open.length > 0 && (open.at(-1) ?? 0) <= ts) open.pop()
      expect(ts + dur, name).toBeLessThanOrEqual(open.at(-1) ?? Number.POSITIVE_INFINITY)
      open.push(ts + dur)
    }
  }
  const ends = traceEvents.flatMap((event) => (event.ph === 's' || event.ph === 'f' ? [event] : []))
  for (const { ph, id, ts, tid } of ends) {
    expect(ends.filter((other) => other.id === id && other.ph !== ph)).toHaveLength(1)
    expect(byThread.get(tid)?.some((slice) => slice.ts <= ts && ts <= slice.ts + slice.dur)).toBe(true)
  }
})

// ---- OTLP: the JSON mapping of ExportTraceServiceRequest (trace_service.proto, trace.proto, common.proto). ----

const uint64 = z.string().regex(/^\d{1,20}$/)
const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ boolValue: z.boolean() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d{1,19}$/) }),
    z.strictObject({ doubleValue: z.number() }),
  ]),
})
const otelSpan = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  /** SPAN_KIND_INTERNAL to SPAN_KIND_CONSUMER: enums are numbers. */
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: uint64,
  endTimeUnixNano: uint64,
  attributes: z.array(attribute),
  status: z.strictObject({ code: z.number().int().min(0).max(2), message: z.string().optional() }),
})
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          schemaUrl: z.url(),
          spans: z.array(otelSpan),
        }),
      ),
    }),
  ),
})

const spansIn = (text: string) =>
  request
    .parse(JSON.parse(text))
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

const valuesOf = ({ attributes }: z.infer<typeof otelSpan>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

test('the spans follow the JSON mapping of OTLP and the conventions for generative AI', async () => {
  const text = await exported('otel')
  const spans = spansIn(text)
  expect(spansIn(await exported('otel'))).toEqual(spans)
  const ids = new Set(spans.map(({ spanId }) => spanId))
  expect(ids.size).toBe(spans.length)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  const agents = spans.filter(({ name }) => name.startsWith('invoke_agent'))
  expect(agents.map(({ name }) => name)).toEqual([
    'invoke_agent main',
    'invoke_agent Explore',
    'invoke_agent general-purpose',
  ])
  const [main, reader] = agents
  expect(main?.parentSpanId).toBeUndefined()
  expect(reader?.parentSpanId).toBe(main?.spanId)
  for (const span of spans) {
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
    if (span !== main) expect(ids).toContain(span.parentSpanId)
  }
  const chat = spans.find(({ name }) => name === 'chat claude-sonnet-4-5')
  expect(chat).toMatchObject({ kind: 3, parentSpanId: main?.spanId })
  expect(chat && valuesOf(chat)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.agent.id': MAIN,
    // 3,800 tokens: new, read from the cache and written to it; a tenth is output.
    'gen_ai.usage.input_tokens': '3420',
    'gen_ai.usage.output_tokens': '380',
    'gen_ai.usage.cache_read.input_tokens': '2774',
  })
  const tool = spans.find(({ name }) => name === 'execute_tool Bash')
  expect(tool && valuesOf(tool)).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'Bash',
    'gen_ai.tool.call.id': 'toolu_1',
    'gen_ai.agent.id': READER,
  })
})

async function receiver(answer: (body: string, path: string) => { status: number; body: string }) {
  const bodies: string[] = []
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    incoming.on('end', () => {
      bodies.push(body)
      const { status, body: text } = answer(body, incoming.url ?? '')
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise((resolve) => server.close(resolve))
  onTestFinished(async () => void (await close()))
  const { port } = server.address() as AddressInfo
  return { bodies, close, url: new URL(`http://127.0.0.1:${port}/v1/traces`) }
}

test('sends the spans to a receiver', async () => {
  const { deps, share } = await sharedStore()
  const { url, bodies } = await receiver(() => ({ status: 200, body: '{}' }))
  const { signal } = new AbortController()
  const sent = unwrap(await sendShare(share, { ...deps, url, signal }))
  expect(bodies.flatMap(spansIn)).toHaveLength(sent)
  expect(bodies.flatMap(spansIn)).toEqual(spansIn(await exported('otel')))
})

test.each([
  [
    400,
    '{"code":3,"message":"no such tenant"}',
    /answered 400 Bad Request\. no such tenant\. No span was sent\./,
  ],
  [404, 'page not found', /answered 404 Not Found\. Traces usually go to the path \/v1\/traces\./],
  [401, '', /It wants a login\./],
  [200, '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}', /refused 2 spans: too old\./],
])('says that the receiver answered %i', async (status, body, message) => {
  const { deps, share } = await sharedStore()
  const { url } = await receiver(() => ({ status, body }))
  const { signal } = new AbortController()
  expect(await sendShare(share, { ...deps, url, signal })).toMatchObject({
    ok: false,
    failure: { type: 'not-sent', message: expect.stringMatching(message) },
  })
})

test('says that nothing listens, and stops when it is canceled', async () => {
  const { deps, share } = await sharedStore()
  const { url, close } = await receiver(() => ({ status: 200, body: '' }))
  await close()
  expect(await sendShare(share, { ...deps, url, signal: new AbortController().signal })).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining(`Nothing listens at ${url.host}.`) },
  })
  expect(await sendShare(share, { ...deps, url, signal: AbortSignal.abort() })).toMatchObject({
    ok: false,
    failure: { type: 'canceled' },
  })
})
