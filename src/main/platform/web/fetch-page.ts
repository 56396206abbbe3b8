/**
 * One address over HTTP. Every connection goes to an address that was checked after the name was resolved, so a name
 * that resolves differently the next time reaches nothing else.
 */
import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib'
import { type Failure, fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { isPublicAddress } from './public-address.ts'
import { ipLiteral, notPublic, parseWebAddress } from './web-address.ts'

export interface FetchedPage {
  /** Of the page itself, after redirects. */
  readonly url: URL
  readonly status: number
  /** The content type as sent; empty if the server sent none. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

interface FetchFailure extends Failure {
  /** Where the page is, on another host. */
  readonly location?: string
}

export interface FetchOptions {
  readonly signal: AbortSignal
  readonly userAgent: string
  /** All addresses of a host name; the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
  /** Tests only: their servers are on this machine. */
  readonly isAllowed?: (address: string) => boolean
}

const MOST_REDIRECTS = 5
/** In bytes, as sent and after decompression. */
export const LARGEST_PAGE = 10 * 1024 * 1024

/**
 * Follows redirects on the same host. Fails with `bad-address`, `refused`, `redirected` (to another host), `too-large`,
 * `not-found` (the name), `aborted` or `connection`.
 */
export async function fetchPage(
  address: string,
  options: FetchOptions,
): Promise<Result<FetchedPage, FetchFailure>> {
  let next = address
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const url = parseWebAddress(next, options.isAllowed)
    if (!url.ok) return url
    const answer = await get(url.value, options)
    if (!answer.ok) return answer
    const { location } = answer.value
    if (location === null) return ok(answer.value)
    const target = URL.canParse(location, url.value.href) ? new URL(location, url.value.href) : null
    if (target === null)
      return fail({ type: 'connection', message: `${next} redirects to an address that can't be read.` })
    if (target.hostname !== url.value.hostname)
      return fail({
        type: 'redirected',
        message: `${next} redirects to another host.`,
        location: target.href,
      })
    next = target.href
  }
  return fail({ type: 'connection', message: `${address} redirects more than ${MOST_REDIRECTS} times.` })
}

interface Answer extends FetchedPage {
  readonly location: string | null
}

/** A check that failed while the connection was opened. */
class Refused extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

function get(url: URL, options: FetchOptions): Promise<Result<Answer, FetchFailure>> {
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(url, {
      signal: options.signal,
      agent: false,
      lookup: checkedLookup(options),
      headers: {
        'user-agent': options.userAgent,
        accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
      },
    })
    const failed = (thrown: unknown) => {
      request.destroy()
      resolve(fail(failureOf(thrown, url, options.signal)))
    }
    request.on('error', failed)
    request.on('response', (response) => {
      read(url, response).then((answer) => {
        if (!answer.ok) request.destroy()
        resolve(answer)
      }, failed)
    })
    request.end()
  })
}

/** Resolves a name once, and connects only to addresses that passed the check. */
function checkedLookup({
  resolve = everyAddress,
  isAllowed = isPublicAddress,
}: FetchOptions): LookupFunction {
  return (host, { all }, done) => {
    resolve(host).then(
      (found) => {
        const [first] = found
        const wrong = found.find(({ address }) => !isAllowed(address))
        if (first === undefined) done(new Refused(unknownHost(host)), '')
        else if (wrong !== undefined) done(new Refused(notPublic(host, wrong.address)), '')
        else if (all) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (thrown: unknown) => done(thrown instanceof Error ? thrown : new Error(messageOf(thrown)), ''),
    )
  }
}

const everyAddress = (host: string): Promise<readonly LookupAddress[]> => systemLookup(host, { all: true })

async function read(url: URL, response: IncomingMessage): Promise<Result<Answer, FetchFailure>> {
  const status = response.statusCode ?? 0
  const { location, 'content-type': contentType = '' } = response.headers
  if (location !== undefined && [301, 302, 303, 307, 308].includes(status)) {
    response.destroy()
    return ok({ url, status, contentType, bytes: new Uint8Array(), location })
  }
  const decoded = decompressed(response)
  if (decoded === null) {
    response.destroy()
    return fail({
      type: 'connection',
      message: `${url.href} is compressed as ${response.headers['content-encoding']}, which can't be read.`,
    })
  }
  const bytes = await collect(decoded)
  if (bytes === null) {
    response.destroy()
    return fail({
      type: 'too-large',
      message: `${url.href} has more than 10 MB, so it was not read. Download it with a command if you need it.`,
    })
  }
  return ok({ url, status, contentType, bytes, location: null })
}

/** Null for an unknown compression. */
function decompressed(response: IncomingMessage): Readable | null {
  const decoder = {
    '': () => null,
    identity: () => null,
    gzip: createUnzip,
    'x-gzip': createUnzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[(response.headers['content-encoding'] ?? '').trim().toLowerCase()]
  if (decoder === undefined) return null
  const stream = decoder()
  // A failure of either stream reaches the reader through the decoder.
  return stream === null ? response : pipeline(response, stream, () => {})
}

/** Null once the content has more than `LARGEST_PAGE`: a small response can become large when it is decompressed. */
async function collect(stream: Readable): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > LARGEST_PAGE) {
      stream.destroy()
      return null
    }
  }
  return Buffer.concat(chunks)
}

function failureOf(thrown: unknown, url: URL, signal: AbortSignal): FetchFailure {
  if (signal.aborted)
    return signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
      ? { type: 'connection', message: `${url.href} did not answer in time.` }
      : { type: 'aborted', message: 'The request was stopped.' }
  if (thrown instanceof Refused) return thrown.failure
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return ipLiteral(url) === null
      ? unknownHost(url.hostname)
      : { type: 'connection', message: `${url.href} can't be reached.` }
  return { type: 'connection', message: `${url.href} could not be fetched: ${sentence(messageOf(thrown))}` }
}

const unknownHost = (host: string): Failure => ({
  type: 'not-found',
  message: `The server ${host} was not found. Check the address; this machine may also be offline.`,
})
