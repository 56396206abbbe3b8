/** The commands of searches in everything that was said. */
import { z } from 'zod'
import { command, id, none, path } from '../kernel/command.ts'
import { type SearchHit, type SearchPart, searchedPrograms, searchKinds } from './search.ts'

const names = z.array(z.string().min(1).max(200)).max(200).readonly().default([])
const time = z.number().nullable().default(null)

const searchQuery = z.object({
  text: z.string().max(2000),
  regex: z.boolean().default(false),
  matchCase: z.boolean().default(false),
  wholeWords: z.boolean().default(false),
  agents: names,
  tools: names,
  folders: z.array(path).max(200).readonly().default([]),
  kinds: z.array(z.enum(searchKinds)).readonly().default([]),
  conversations: z.array(id).max(100_000).readonly().default([]),
  programs: z.array(z.enum(searchedPrograms)).readonly().default([]),
  since: time,
  until: time,
  archived: z.boolean().default(false),
})

/** The id that the window gives a search. */
const search = z.object({ searchId: id })

export const searchContract = {
  /** Reads the list of conversations, so that the first search need not. */
  'search.prepare': command<void>()(() => none),
  /** Begins a search and answers with its first part. Fails with `bad-pattern`. */
  'search.start': command<SearchPart>()(() => search.extend({ query: searchQuery })),
  /** The next part. The search goes on only when it is asked. Fails with `aborted` after `search.end`. */
  'search.next': command<SearchPart>()(() => search),
  'search.end': command<void>()(() => search),
  /**
   * The event of a place in a history, which becomes a conversation that can be opened. Fails with `not-found`: the history
   * has changed, or is gone; and with `off`, or if its files can't be read.
   */
  'search.place': command<SearchHit>()(() =>
    z.object({
      query: searchQuery,
      place: z.object({
        ...{ conversationId: id, agentId: id, at: z.number(), kind: z.enum(searchKinds) },
        line: z.string().max(1000),
      }),
    }),
  ),
} as const
