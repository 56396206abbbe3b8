/** Links at the end of growing text: they show their words, and become links when they are finished. */
import { allText, type ElementNode, type MarkdownNode } from './tree.ts'

/** The library's address of an unfinished link. */
const UNFINISHED = 'streamdown:incomplete-link'

/** Closes the link, or the brackets that can become one, at the end of a growing text. */
export function closeLink(text: string): string {
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1)
  if (!paragraph.includes('[') || (paragraph.match(/`/g) ?? []).length % 2 === 1) return text
  if (/!?\[$/.test(text)) return text.replace(/!?\[$/, '')
  const line = text.slice(text.lastIndexOf('\n') + 1)
  if (/\[[^[\]]+\]$/.test(line) && !/^\s*(?:[-*+]|\d+[.)]) \[[ xX]\]$|\[\^[^\]]*\]$/.test(line))
    return `${text}(${UNFINISHED})`
  // An image is complete, and the link around it is not.
  if (/\[!\[[^[\]]*\]\([^()\s]*\)\]?$/.test(line)) return `${text.replace(/\]$/, '')}](${UNFINISHED})`
  const target = text.lastIndexOf('](')
  if (target === -1 || isClosed(text.slice(target + 2))) return text
  return `${text.slice(0, target)}](${UNFINISHED})`
}

/** Whether the address and the title of a link end in this text. A newline that starts a paragraph ends them, too. */
function isClosed(rest: string): boolean {
  if (/`|\n\s*\n/.test(rest)) return true
  let depth = 0
  for (const character of rest) {
    if (character === '(') depth += 1
    else if (character === ')' && --depth < 0) return true
  }
  return false
}

export function isUnfinished(target: string): boolean {
  return target.startsWith('streamdown:')
}

/** Punctuation after a link that the next character can make a part of the link. */
const AFTER = /^[?!.,:;*_~)&'"]*\s*$/

/** A plugin after `lockDown`: an address or a file reference at the very end of growing text is no link yet. */
export function unlinkEnd() {
  return (tree: unknown): void => {
    let parent = tree as { children: MarkdownNode[] }
    for (;;) {
      const index = parent.children.findLastIndex((node) => node.type !== 'text' || !AFTER.test(node.value))
      const last = parent.children[index]
      if (last?.type !== 'element') return
      if (last.tagName === 'a' && isLiteral(last)) {
        parent.children.splice(index, 1, ...last.children)
        return
      }
      parent = last
    }
  }
}

/** Whether a link shows its own target, so that the next character can belong to both. */
function isLiteral({ properties, children }: ElementNode): boolean {
  const shown = allText(children)
  const { dataUrl, dataFile } = properties
  return typeof dataUrl === 'string'
    ? dataUrl === shown || dataUrl === `mailto:${shown}` || dataUrl === `${shown}/`
    : typeof dataFile === 'string' && shown.startsWith(dataFile)
}
