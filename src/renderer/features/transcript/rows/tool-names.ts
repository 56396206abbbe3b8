/** What a tool call says in its one line: its name as people read it, its icon, the words of its input. */
import {
  BookOpen,
  FilePen,
  FilePlus,
  FileText,
  FolderSearch,
  Globe,
  ListTodo,
  type LucideIcon,
  Mail,
  MessageCircleQuestionMark,
  Plug,
  Search,
  Sparkles,
  SquareTerminal,
  Users,
  Wrench,
} from 'lucide-react'

const ICONS: Readonly<Record<string, LucideIcon>> = {
  Read: FileText,
  Write: FilePlus,
  Edit: FilePen,
  NotebookEdit: FilePen,
  Glob: FolderSearch,
  Grep: Search,
  Bash: SquareTerminal,
  WebFetch: Globe,
  WebSearch: Globe,
  TodoWrite: ListTodo,
  TaskCreate: ListTodo,
  TaskUpdate: ListTodo,
  TaskList: ListTodo,
  Skill: Sparkles,
  SendMessage: Mail,
  TeamCreate: Users,
  TeamDelete: Users,
  AskUserQuestion: MessageCircleQuestionMark,
  ExitPlanMode: BookOpen,
}

export function toolIcon(name: string): LucideIcon {
  return ICONS[name] ?? (name.startsWith('mcp__') ? Plug : Wrench)
}

/** `mcp__github__create_issue` reads as `github create_issue`. */
export function toolLabel(name: string): string {
  const [prefix, server, ...tool] = name.split('__')
  return prefix === 'mcp' && server !== undefined && tool.length > 0 ? `${server} ${tool.join('__')}` : name
}

/** The field that tells most, in the order in which tools have them. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'url',
  'query',
  'subject',
  'prompt',
]

/** One line for a call that has not started yet: the runtime's own summary comes with its start. */
export function summaryOfInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Readonly<Record<string, unknown>>
  const telling = TELLING.map((name) => fields[name]).find((value) => typeof value === 'string')
  const any = telling ?? Object.values(fields).find((value) => typeof value === 'string')
  return typeof any === 'string' ? (any.split('\n')[0] ?? '') : ''
}

/** The same while the input still streams, as JSON without its end. */
export function summaryOfPartialInput(json: string): string {
  for (const name of TELLING) {
    const match = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(json.slice(0, 2000))
    if (match) return unescaped(match[1] ?? '').split('\n')[0] ?? ''
  }
  return ''
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}
