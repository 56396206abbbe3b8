/** What differs between alike texts, for marking it. */

export interface TextPart {
  readonly text: string
  readonly differs: boolean
}

/** The parts of each text: words and the names in their paths, each marked if not all texts have it at that place. */
export function differingParts(texts: readonly string[]): readonly (readonly TextPart[])[] {
  const split = texts.map((text) => text.match(/[\s/]+|[^\s/]+/g) ?? [])
  const [first = []] = split
  // Without the same number of parts, places can't be compared.
  if (split.some((parts) => parts.length !== first.length))
    return texts.map((text) => [{ text, differs: true }])
  const differs = first.map((part, index) => split.some((parts) => parts[index] !== part))
  return split.map((parts) =>
    joined(parts.map((text, index) => ({ text, differs: differs[index] === true }))),
  )
}

function joined(parts: readonly TextPart[]): readonly TextPart[] {
  const all: TextPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last?.differs === part.differs) all[all.length - 1] = { ...last, text: last.text + part.text }
    else all.push(part)
  }
  return all
}
