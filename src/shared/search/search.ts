/** A search in everything that was said in conversations: what is asked, and what is found. */
import { type HistoryProgram, historyNames, historyPrograms } from '../histories/history.ts'

/** Whose conversations are searched: Troupe's own, and those of the programs whose histories Troupe reads. */
export const searchedPrograms = ['troupe', ...historyPrograms] as const
export type SearchedProgram = 'troupe' | HistoryProgram

export const searchedNames: Readonly<Record<SearchedProgram, string>> = { troupe: 'Troupe', ...historyNames }

/**
 * `said`: text of an agent; `thought`: its thinking; `input` and `output` of a tool; `you`: what the user wrote; `message`:
 * what agents and the program wrote to an agent.
 */
export const searchKinds = ['said', 'thought', 'input', 'output', 'you', 'message'] as const
export type SearchKind = (typeof searchKinds)[number]

export interface SearchQuery {
  /** Words, which may be joined by white space, `_`, `-` or nothing; or a regular expression of JavaScript. */
  readonly text: string
  readonly regex: boolean
  readonly matchCase: boolean
  readonly wholeWords: boolean
  /** Of these and the following lists, an empty one means all. Names of agents: `main`, a type, or a given name. */
  readonly agents: readonly string[]
  readonly tools: readonly string[]
  /** Absolute paths. */
  readonly folders: readonly string[]
  readonly kinds: readonly SearchKind[]
  /** Ids. */
  readonly conversations: readonly string[]
  readonly programs: readonly SearchedProgram[]
  /** ms since the epoch, inclusive; null: no bound. */
  readonly since: number | null
  readonly until: number | null
  /** Archived conversations too. */
  readonly archived: boolean
}

/** The query for all places of a text. */
export const plainQuery = (text: string): SearchQuery => ({
  text,
  ...{ regex: false, matchCase: false, wholeWords: false, archived: false },
  ...{ agents: [], tools: [], folders: [], kinds: [], conversations: [], programs: [] },
  ...{ since: null, until: null },
})

/** A place with the text: one block of one event. */
export interface SearchHit {
  readonly conversationId: string
  readonly agentId: string
  /** The `seq` of the event. In a history: a number that only orders its places; `search.place` finds the event. */
  readonly sequence: number
  /** ms since the epoch. */
  readonly at: number
  readonly kind: SearchKind
  /** The tool of an input or output; null: another kind. */
  readonly tool: string | null
  /** The line with the first match, shortened around it. */
  readonly line: string
  /** The matches in `line`, as ranges of UTF-16 units. The first one is always there. */
  readonly marks: readonly (readonly [start: number, end: number])[]
}

export interface SearchedConversation {
  readonly id: string
  readonly title: string
  /** Absolute. */
  readonly folder: string
  readonly archived: boolean
  readonly program: SearchedProgram
  /** ms since the epoch. */
  readonly updatedAt: number
}

export interface SearchedAgent {
  readonly id: string
  readonly conversationId: string
  /** `main`, the agent's type, or its given name. */
  readonly name: string
  /** Empty for a main agent. */
  readonly task: string
  /** As its definition says; see `agent-style.ts`. */
  readonly color: string
  /** Places so far, those that `hits` leave out included. */
  readonly places: number
}

/**
 * The numbers of places so far. Each list counts what all filters but its own let through, so that another choice shows how
 * much it would find.
 */
export interface SearchCounts {
  readonly total: number
  readonly byAgent: Readonly<Record<string, number>>
  readonly byKind: Readonly<Partial<Record<SearchKind, number>>>
  readonly byFolder: Readonly<Record<string, number>>
  readonly byProgram: Readonly<Partial<Record<SearchedProgram, number>>>
  /** By day: whole days since the epoch. */
  readonly byDay: Readonly<Record<number, number>>
}

/** What a search found since its last part. Conversations come whole, the last used first. */
export interface SearchPart {
  readonly conversations: readonly SearchedConversation[]
  /** The agents of these conversations with hits. */
  readonly agents: readonly SearchedAgent[]
  /** Of each agent the newest first, at most `HITS_OF_AGENT`. */
  readonly hits: readonly SearchHit[]
  readonly counts: SearchCounts
  readonly searched: {
    readonly conversations: number
    readonly of: number
    /** Bytes of transcripts and outputs. */
    readonly bytes: number
  }
  /** Lines with the text that are torn or damaged and were left out. */
  readonly damaged: number
  /** Set on the last part. `limit`: there are more places than a search counts. */
  readonly end: 'all' | 'limit' | null
}

/** The most hits of one agent in one conversation, and of one search. All places are counted. */
export const HITS_OF_AGENT = 100
export const HITS_OF_SEARCH = 5000
/** The search ends after so many places. */
export const PLACES_OF_SEARCH = 100_000

/** The most characters of a hit's line. */
export const LINE_LENGTH = 240

/** The failure of a search that was ended before it was done. */
export const searchEnded = { type: 'aborted', message: 'The search was ended.' }
