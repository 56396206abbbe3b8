/** The commands of searches in everything that was said. */
import { z } from 'zod'
import { command, id, none, path } from '../kernel/command.ts'
import { type SearchPart, searchKinds } from './search.ts'

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
  since: time,
  until: time,
  archived: z.boolean().default(false),
})

/** The id that the window gives a search. */
const search = z.object({ searchId: id })

export const searchContract = {
  /** Reads the list of conversations, so that the first search need not. */
  'search.prepare': command<void>()(none),
  /** Begins a search and answers with its first part. Fails with `bad-pattern`. */
  'search.start': command<SearchPart>()(search.extend({ query: searchQuery })),
  /** The next part. The search goes on only when it is asked. Fails with `aborted` after `search.end`. */
  'search.next': command<SearchPart>()(search),
  'search.end': command<void>()(search),
} as const
