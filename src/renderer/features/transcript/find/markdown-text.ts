/** The words of a markdown text as the window shows them, without parsing: a search reads thousands of messages. */
import { fileOfLink } from '../markdown/file-references.ts'
import { safeUrl } from '../markdown/lock-down.ts'

/** Ends a block or a table cell. No query contains this character, so no match crosses it. */
const END = '\0'
const FENCE = /^[\s>*+\-\d.)]*(`{3,}|~{3,})/
const BLOCK_MARK = /^\s*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)|#{1,6}(?=\s))\s*)*(?:\[[ xX]\]\s+)?/
/** The patterns take quadratic time, so longer lines lose only the most common marks. */
const LONGEST_LINE = 2000
const DELIMITER = /^[\s>]*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

export function markdownText(text: string): string {
  let fence: string | null = null
  const shown: string[] = []
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null
      shown.push(END)
    } else if (fence !== null) shown.push(line)
    else if (line.trim() === '' || (line.length < 1000 && DELIMITER.test(line))) shown.push(END)
    else shown.push(inline(line.replace(BLOCK_MARK, '')))
  }
  return shown.join('\n')
}

/** One line without the marks of emphasis, code and links. Code keeps its text. */
function inline(line: string): string {
  if (!/[`*_~[\\&|<]/.test(line)) return line
  if (line.length > LONGEST_LINE) return line.replace(/`|\*\*/g, '')
  return line
    .split(/(`+(?!`).*?[^`]`+(?!`))/)
    .map((part, index) => (index % 2 === 1 ? part.replace(/^`+ ?|`+$/g, '') : prose(part)))
    .join('')
}

function prose(text: string): string {
  return text
    .replace(/\\([!-/:-@[-`{-~])/g, (_, mark: string) => String.fromCharCode(ESCAPED + mark.charCodeAt(0)))
    .replace(/!?\[([^[\]]*)\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)?)>?(?:\s+["'(][^)]*)?\)/g, linkText)
    .replace(/<((?:https?:|mailto:)[^>\s]+)>/g, '$1')
    .replace(/(\*{1,3}|~~)(?=\S)([^*~]*[^\s*~])\1/g, '$2')
    .replace(/(\*{1,3}|~~)(?=\S)([^*~]*[^\s*~])\1/g, '$2')
    .replace(/(?<![\w\\])(_{1,3})(?=\S)([^_]*[^\s_])\1(?!\w)/g, '$2')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
    .replaceAll('|', END)
    .replace(/[\uE000-\uE07F]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - ESCAPED))
}

/** Escaped marks are private characters until the other marks are gone. */
const ESCAPED = 0xe000

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"' } as const

/** A blocked address is shown behind the link's text. */
function linkText(link: string, shown: string, target: string): string {
  const allowed = (target === '' || target.startsWith('#') || safeUrl(target)) ?? fileOfLink(target)
  return link.startsWith('!') || allowed ? shown : `${shown} (${target})`
}
