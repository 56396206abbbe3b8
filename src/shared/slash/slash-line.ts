/** Reads a typed line as a command. */

export interface SlashLine {
  readonly name: string
  /** The text after the name, without the space around it. */
  readonly rest: string
}

/**
 * The command of a text, or null. A path ("/usr/bin is full") and a text that begins with a space are no commands.
 * The name may have letters, digits and `_ - . :`.
 */
export function readSlashLine(text: string): SlashLine | null {
  const match = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?:\s+([\s\S]*))?$/u.exec(text.trimEnd())
  return match === null ? null : { name: match[1] ?? '', rest: (match[2] ?? '').trim() }
}

/** Whether a name can be typed as a command. */
export const isSlashName = (name: string): boolean => readSlashLine(`/${name}`)?.name === name

/** The arguments of a command, as a shell would separate them: quotes keep spaces. */
export function splitArguments(rest: string): readonly string[] {
  const words = rest.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']|["'])+/g) ?? []
  return words.map((word) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  )
}
