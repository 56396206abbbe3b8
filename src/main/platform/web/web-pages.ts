/** Web pages as text, kept for a while. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { DocumentReader, WebFailure, WebPage, WebPages } from '../../runtime/ports/documents.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import { type FetchedPage, type FetchOptions, fetchPage } from './fetch-page.ts'

interface WebPagesOptions extends Pick<FetchOptions, 'resolve' | 'isAllowed'> {
  readonly clock: Pick<Clock, 'now'>
  readonly documents: DocumentReader
}

/** For one page with all its redirects, ms. */
const TIME_LIMIT = 30_000
const KEPT_MS = 15 * 60_000
/** In characters, of all kept pages together. */
const MOST_KEPT = 20_000_000
const USER_AGENT = 'Troupe (an agent reads this page for its user)'
/** Pages of a PDF document, for its text. */
const MOST_PDF_PAGES = 100

export function createWebPages({ clock, documents, ...network }: WebPagesOptions): WebPages {
  const kept = new Map<string, { readonly page: WebPage; readonly at: number }>()

  return {
    async read(address, signal) {
      const known = kept.get(address)
      if (known !== undefined && clock.now() - known.at < KEPT_MS) return ok(known.page)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)])
      const fetched = await fetchPage(address, { ...network, signal: limit, userAgent: USER_AGENT })
      if (!fetched.ok) return fetched
      const page = await pageOf(fetched.value, documents, limit)
      if (page.ok && page.value.status < 400) keep(kept, { address, page: page.value, at: clock.now() })
      return page
    },
  }
}

/** Makes room for the page: the oldest pages go first. */
function keep(
  kept: Map<string, { readonly page: WebPage; readonly at: number }>,
  { address, page, at }: { readonly address: string; readonly page: WebPage; readonly at: number },
): void {
  kept.delete(address)
  kept.set(address, { page, at })
  let size = 0
  for (const { page: one } of kept.values()) size += one.text?.length ?? 0
  for (const [oldest, { page: one }] of kept) {
    if (size <= MOST_KEPT) return
    size -= one.text?.length ?? 0
    kept.delete(oldest)
  }
}

async function pageOf(
  { url, status, contentType, bytes }: FetchedPage,
  documents: DocumentReader,
  signal: AbortSignal,
): Promise<Result<WebPage, WebFailure>> {
  const type = mediaType(contentType)
  const page = { url: url.href, status, type, size: bytes.length, title: '' }
  if (isPdf(bytes)) {
    const read = await documents.pdf(bytes, { first: 1, last: MOST_PDF_PAGES }, signal)
    if (!read.ok) return read
    const { pages, totalPages } = read.value
    const rest =
      totalPages > pages.length ? `\n\n[${totalPages - pages.length} more pages were not read.]` : ''
    return ok({ ...page, text: pages.map((one) => `[Page ${one.number}]\n${one.text}`).join('\n\n') + rest })
  }
  if (!isText(type, bytes)) return ok({ ...page, text: null })
  const text = decodePage(bytes, contentType)
  if (!isHtml(contentType) && !(type === '' && looksLikeHtml(text))) return ok({ ...page, text })
  const read = await documents.html(text, url.href, signal)
  return read.ok ? ok({ ...page, title: read.value.title, text: read.value.markdown }) : read
}

const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

const looksLikeHtml = (text: string): boolean => /^\s*<(!doctype html|html)\b/i.test(text)

/** By the content type; by the content where the server names no type. */
function isText(type: string, bytes: Uint8Array): boolean {
  if (
    /^text\/|[/+](json|xml|yaml|x-yaml|javascript|ecmascript|x-sh|toml|x-ndjson|markdown|sql|graphql)$/.test(
      type,
    )
  )
    return true
  return ['', 'application/octet-stream'].includes(type) && !bytes.subarray(0, 8000).includes(0)
}

/** From the byte order mark, the content type, or for HTML the page itself; UTF-8 by default. */
function decodePage(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? charsetIn(contentType) ?? (isHtml(contentType) ? charsetOfHtml(bytes) : null)
  return decoded(bytes, label ?? 'utf-8')
}

/** `text/html` of `text/html; charset=utf-8`, in lower case. */
function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

function isHtml(contentType: string): boolean {
  return ['text/html', 'application/xhtml+xml'].includes(mediaType(contentType))
}

function markOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

const charsetIn = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? null

/** HTML names its encoding in its first kilobyte. */
function charsetOfHtml(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  const named = /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(start)?.[1] ?? null
  // A page whose letters are read as ASCII is not in UTF-16, whatever it says.
  return named !== null && /^utf-?16/i.test(named) ? 'utf-8' : named
}

function decoded(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
