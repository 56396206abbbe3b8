/** What a page of a shared conversation has in it: lines of JSON, compressed, which the page's own script reads. */
import type { SpanKind } from '../timeline/span.ts'

/** A row of a transcript as it is shared: texts only, ready to show. */
export type SharedRow = SharedRowBase &
  (
    | {
        readonly kind: 'message'
        /** "You", "Task", the name of an agent. */
        readonly from: string
        readonly text: string
        /** `data:` addresses. */
        readonly images: readonly string[]
      }
    /** Markdown of the model. */
    | { readonly kind: 'text' | 'thinking'; readonly text: string }
    | {
        readonly kind: 'call'
        readonly title: string
        readonly note: string
        readonly failed: boolean
        /** JSON; empty where the diff says it. */
        readonly input: string
        readonly output: string
        readonly diff: SharedDiff | null
      }
    | { readonly kind: 'note'; readonly text: string; readonly failed: boolean }
    /** Agents that a message started, by their ids, and why others were not started. */
    | { readonly kind: 'agents'; readonly ids: readonly string[]; readonly failures: readonly string[] }
  )

interface SharedRowBase {
  /** The event that added the row. */
  readonly seq: number
  /** ms since the epoch */
  readonly at: number
}

export interface SharedDiff {
  readonly path: string
  /** Hunks of a unified diff. */
  readonly patch: string
  readonly added: number
  readonly removed: number
}

/** An agent of the page. */
export interface PageAgent {
  readonly id: string
  readonly parentId: string | null
  readonly depth: number
  readonly name: string
  readonly type: string
  readonly color: string
  readonly status: string
  readonly model: string
  readonly turns: number
  /** As limits and the status bar count them: cached ones by their price. */
  readonly tokens: number
  /** US dollars; null: unknown. */
  readonly costUsd: number | null
}

export interface PageSpan {
  readonly agentId: string
  readonly kind: SpanKind
  /** ms since the epoch */
  readonly from: number
  readonly to: number
  readonly seq: number
  readonly title: string
  readonly failed: boolean
}

/** One line. The head comes first. */
export type PageLine =
  | {
      readonly line: 'head'
      readonly title: string
      readonly folder: string
      readonly createdAt: number
      readonly agents: readonly PageAgent[]
    }
  | { readonly line: 'rows'; readonly agentId: string; readonly rows: readonly SharedRow[] }
  | { readonly line: 'spans'; readonly spans: readonly PageSpan[] }
  | {
      readonly line: 'arrows'
      readonly arrows: readonly {
        readonly from: string
        readonly to: string
        readonly at: number
        readonly toAt: number
      }[]
    }

/** The class of the elements that have the data: base64 of a gzip stream, in pieces that can be decoded one by one. */
export const PAGE_DATA_CLASS = 'data'

/** Where the data goes in the page as it is built. */
export const DATA_MARK = '<!--data-->'
