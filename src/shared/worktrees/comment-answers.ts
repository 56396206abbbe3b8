/** Splits an agent's answer to review comments into the answers to the single comments. */

/**
 * The answers in the order of the comments, as markdown; null: the text answers that comment nowhere in particular. The
 * agent is told to begin each answer with a heading such as "### Comment 2". A numbered list over all comments counts too.
 * @param comments how many comments the text answers
 */
export function answersIn(text: string, comments: number): readonly (string | null)[] {
  if (comments === 0) return []
  const byHeading = sections(
    text,
    /^#{1,6}\s+(?:\*\*)?Comments?\s+#?(\d+)(?:\*\*)?\s*[:.–—-]?\s*(.*)$/i,
    comments,
  )
  if (byHeading.some((answer) => answer !== null)) return byHeading
  if (comments === 1) return [text.trim()]
  const byNumber = sections(text, /^(?:\*\*)?(?:Comment\s+)?#?(\d+)[.):](?:\*\*)?\s+(.*)$/i, comments)
  return byNumber.every((answer) => answer !== null) ? byNumber : byNumber.map(() => null)
}

/** The text from each line that names a comment to the next such line, or to another heading. */
function sections(text: string, pattern: RegExp, comments: number): (string | null)[] {
  const found: (string[] | null)[] = Array.from({ length: comments }, () => null)
  let lines: string[] | null = null
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const [mark = null] = /^\s{0,3}(?:`{3,}|~{3,})/.exec(line) ?? []
    if (mark !== null)
      fence = fence === null ? mark.trim().slice(0, 3) : mark.trim().startsWith(fence) ? null : fence
    const named: RegExpExecArray | null = fence === null && mark === null ? pattern.exec(line) : null
    const rest: string = named?.[2] ?? ''
    const index: number = Number(named?.[1] ?? 0) - 1
    if (named !== null && index < comments && found[index] === null) {
      lines = rest.replace(/\*\*$/, '').trim() === '' ? [] : [rest]
      found[index] = lines
    } else if (fence === null && mark === null && /^#{1,3}\s/.test(line)) lines = null
    else lines?.push(line)
  }
  return found.map((answer) => {
    const joined = answer?.join('\n').trim() ?? ''
    return joined === '' ? null : joined
  })
}
