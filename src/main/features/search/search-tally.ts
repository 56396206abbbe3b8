/** What a search has found: the numbers of all places, and the hits of the next part. */
import type { LogAgent, SearchedLog } from '../../../shared/search/logged-texts.ts'
import {
  HITS_OF_AGENT,
  HITS_OF_SEARCH,
  type SearchCounts,
  type SearchedConversation,
  type SearchedProgram,
  type SearchHit,
  type SearchKind,
  type SearchPart,
  type SearchQuery,
} from '../../../shared/search/search.ts'

/** A place before its agent is known. */
export interface FoundPlace extends Pick<SearchHit, 'sequence' | 'at' | 'kind' | 'tool' | 'line' | 'marks'> {}

/** The places of one agent. */
export interface FoundPlaces {
  readonly log: Pick<SearchedLog, 'agentId' | 'agent'>
  /** The newest first. */
  readonly places: readonly FoundPlace[]
  readonly damaged: number
}

const DAY = 86_400_000

export class Tally {
  private readonly query: SearchQuery
  private conversations: SearchedConversation[] = []
  private agents: (LogAgent & { readonly conversationId: string; readonly places: number })[] = []
  private hits: SearchHit[] = []
  private kept = 0
  private done = { conversations: 0, bytes: 0 }
  private damaged = 0
  private readonly byAgent: Record<string, number> = {}
  private readonly byKind: Partial<Record<SearchKind, number>> = {}
  private readonly byFolder: Record<string, number> = {}
  private readonly byProgram: Partial<Record<SearchedProgram, number>> = {}
  private readonly byDay: Record<number, number> = {}
  total = 0

  constructor(query: SearchQuery) {
    this.query = query
  }

  searched(conversations: number, bytes: number): void {
    this.done = { conversations: this.done.conversations + conversations, bytes: this.done.bytes + bytes }
  }

  add(conversation: SearchedConversation, { log, places, damaged }: FoundPlaces): void {
    this.damaged += damaged
    if (places.length === 0) return
    const { agents, kinds, folders, programs } = this.query
    const { folder, program } = conversation
    const agent = log.agent() ?? { id: log.agentId, name: log.agentId, task: '', color: '' }
    const isOfAgent = agents.length === 0 || agents.includes(agent.name)
    const isOfFolder = folders.length === 0 || folders.includes(folder)
    const isOfProgram = programs.length === 0 || programs.includes(program)
    let wanted = 0
    for (const place of places) {
      const isOfKind = kinds.length === 0 || kinds.includes(place.kind)
      if (isOfKind && isOfFolder && isOfProgram) addOne(this.byAgent, agent.name)
      if (isOfAgent && isOfFolder && isOfProgram) addOne(this.byKind, place.kind)
      if (isOfAgent && isOfKind && isOfProgram) addOne(this.byFolder, folder)
      if (isOfAgent && isOfKind && isOfFolder) addOne(this.byProgram, program)
      if (!isOfAgent || !isOfKind || !isOfFolder || !isOfProgram) continue
      wanted += 1
      addOne(this.byDay, Math.floor(place.at / DAY))
      if (wanted > HITS_OF_AGENT || this.kept >= HITS_OF_SEARCH) continue
      this.kept += 1
      this.hits.push({ conversationId: conversation.id, agentId: log.agentId, ...place })
    }
    if (wanted === 0) return
    this.total += wanted
    if (this.conversations.at(-1)?.id !== conversation.id) this.conversations.push(conversation)
    this.agents.push({ ...agent, conversationId: conversation.id, places: wanted })
  }

  /** What was found since the last part. */
  take(of: number, end: SearchPart['end']): SearchPart {
    const { conversations, agents, hits } = this
    ;[this.conversations, this.agents, this.hits] = [[], [], []]
    const { byAgent, byKind, byFolder, byProgram, byDay } = this
    const counts: SearchCounts = {
      total: this.total,
      ...{ byAgent: { ...byAgent }, byKind: { ...byKind }, byFolder: { ...byFolder } },
      ...{ byProgram: { ...byProgram }, byDay: { ...byDay } },
    }
    return { conversations, agents, hits, counts, searched: { ...this.done, of }, damaged: this.damaged, end }
  }
}

function addOne<K extends string | number>(counts: Partial<Record<K, number>>, key: K): void {
  counts[key] = (counts[key] ?? 0) + 1
}
