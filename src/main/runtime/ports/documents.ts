/** The ports to documents, images and web pages. */
import type { Failure, Result } from '../../../shared/kernel/result.ts'
import type { ImageBlock } from '../../../shared/messages/content.ts'

export interface PdfText {
  readonly totalPages: number
  /** The text of each requested page, by its number from 1. A scanned page has none. */
  readonly pages: readonly { readonly number: number; readonly text: string }[]
}

/** Documents as text, and images. Fails with `damaged`, `password`, `timeout` or `aborted`. */
export interface DocumentReader {
  /** The readable part of a web page as markdown. `address` is the base of its links. */
  html(
    html: string,
    address: string,
    signal: AbortSignal,
  ): Promise<Result<{ readonly title: string; readonly markdown: string }>>
  /** The pages from `first` to `last`, as far as they exist. */
  pdf(
    bytes: Uint8Array,
    range: { readonly first: number; readonly last: number },
    signal: AbortSignal,
  ): Promise<Result<PdfText>>
  /** The image as it is if it can be decoded and keeps the limits; else smaller. Fails with `too-large` too. */
  image(bytes: Uint8Array, limits: ImageLimits, signal: AbortSignal): Promise<Result<FittedImage>>
}

export interface ImageLimits {
  /** In pixels. */
  readonly longestSide: number
  readonly largestBytes: number
}

export interface FittedImage {
  readonly type: ImageBlock['source']['media_type']
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

export interface WebPage {
  /** Of the page itself, after redirects. */
  readonly url: string
  readonly status: number
  /** `text/html`; empty if the server named no type. */
  readonly type: string
  /** In bytes, as received. */
  readonly size: number
  /** Empty for a page without a title. */
  readonly title: string
  /** Markdown for HTML; null: the content is not text. */
  readonly text: string | null
}

export interface WebFailure extends Failure {
  /** Where the page is, on another host. */
  readonly location?: string
}

/**
 * Pages of the public internet. Fails with `bad-address`, `refused` (not public), `redirected` (to another host, see
 * `location`), `too-large`, `not-found`, `connection`, `aborted`, or a failure of the document.
 */
export interface WebPages {
  read(address: string, signal: AbortSignal): Promise<Result<WebPage, WebFailure>>
}
