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
import type { ToolIcon } from '../../../../shared/tool-call-row.ts'

const ICONS: Readonly<Record<ToolIcon, LucideIcon>> = {
  file: FileText,
  'file-add': FilePlus,
  'file-edit': FilePen,
  'folder-search': FolderSearch,
  search: Search,
  terminal: SquareTerminal,
  globe: Globe,
  list: ListTodo,
  skill: Sparkles,
  mail: Mail,
  people: Users,
  question: MessageCircleQuestionMark,
  book: BookOpen,
  plug: Plug,
  tool: Wrench,
}

export function toolIcon(icon: ToolIcon): LucideIcon {
  return ICONS[icon]
}
