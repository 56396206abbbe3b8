/** What an agent was told beside messages: of its tools, instructions, servers and permissions. Folded from its events. */
import type {
  AgentEvent,
  EventOf,
  LoadedInstructions,
  ToldServer,
  ToolSchema,
} from '../../../shared/events/agent-event.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { asReminder } from './system-reminder.ts'

export class ToldState {
  /** By tool: the changed descriptions announced to the agent. */
  descriptions: Readonly<Record<string, string>> = {}
  /** By tool: the descriptions that replaced those of the spawn at the last compaction. */
  compacted: Readonly<Record<string, string>> = {}
  /** By tool: the entries of the list in its description, if they changed since the start. */
  entries: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
  /** Tools added since the start. The list keeps its identity until a tool is added. */
  added: readonly ToolSchema[] = []
  removed: ReadonlySet<string> = new Set()
  /** Tools whose schemas the API refused. The set keeps its identity until a tool is refused. */
  refused: ReadonlySet<string> = new Set()
  /** By path: instruction files since the start, or since the last compaction. */
  instructions = new Map<string, LoadedInstructions>()
  /** Instruction files whose text the last summary replaced. */
  forgotten: readonly string[] = []
  /** By name: what the messages say about MCP servers, with the notice that told of each. */
  servers = new Map<string, ToldServer & { readonly notice: UserBlock }>()
  /** The last notice about the agent's permissions; null: only its system prompt describes them. */
  permissions: string | null = null
  /** Whether any notice about the agent's permissions was sent, also before a summary. */
  everPermissions = false

  /** @returns the notice for the messages; null: the event tells nothing */
  apply(event: AgentEvent): UserBlock | null {
    switch (event.type) {
      case 'tools-changed':
        this.descriptions = { ...this.descriptions, ...event.descriptions }
        this.entries = { ...this.entries, ...event.entries }
        this.changeTools(event)
        return event.text === '' ? null : noticeOf(event.text)
      case 'instructions-loaded':
        for (const file of event.files) this.instructions.set(file.path, file)
        return noticeOf(event.text)
      case 'servers-told': {
        const notice = noticeOf(event.text)
        for (const [name, told] of Object.entries(event.servers)) this.servers.set(name, { ...told, notice })
        return notice
      }
      case 'files-told':
        return noticeOf(event.text)
      case 'permissions-told':
        this.permissions = event.text
        this.everPermissions = true
        return noticeOf(event.text)
      case 'definition-renewed':
        this.permissions = null
        this.everPermissions = false
        for (const { path } of event.instructions) this.instructions.delete(path)
        this.descriptions = {}
        this.compacted = {}
        this.entries = {}
        this.added = []
        this.removed = new Set()
        this.refused = new Set()
        return null
      default:
        return null
    }
  }

  /** @returns the notice that tells the agent */
  refuseTool(name: string): UserBlock {
    this.refused = new Set([...this.refused, name])
    return noticeOf(
      `You no longer have the tool ${name}: the API refuses its schema. Continue without it, and tell the user.`,
    )
  }

  /** A summary replaces the messages, but not those that the model has not answered. */
  summarize(unanswered: readonly UserBlock[]): void {
    this.compacted = this.descriptions
    const told = this.permissions === null ? null : asReminder(this.permissions)
    if (!unanswered.some((block) => block.type === 'text' && block.text === told)) this.permissions = null
    for (const [name, { notice }] of this.servers) if (!unanswered.includes(notice)) this.servers.delete(name)
    this.forgotten = [...this.instructions.keys()]
    this.instructions = new Map()
  }

  /** The state of a fork: its tools are those of its own start. */
  fork(): ToldState {
    const fork = new ToldState()
    fork.instructions = new Map(this.instructions)
    fork.servers = new Map(this.servers)
    fork.permissions = this.permissions
    fork.refused = this.refused
    fork.everPermissions = this.everPermissions
    return fork
  }

  private changeTools({ added, removed }: EventOf<'tools-changed'>): void {
    const names = new Set(added.map(({ name }) => name))
    if (added.length > 0) {
      // A tool keeps its position, so that most of the cached prefix stays valid.
      const kept = this.added.map((tool) => added.find(({ name }) => name === tool.name) ?? tool)
      this.added = [...kept, ...added.filter((tool) => !this.added.some(({ name }) => name === tool.name))]
    }
    this.removed = new Set([...[...this.removed].filter((name) => !names.has(name)), ...removed])
  }
}

const noticeOf = (text: string): UserBlock => ({ type: 'text', text: asReminder(text) })
