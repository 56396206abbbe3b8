/**
 * The report of a survey agent: a sentence, facts with locations, then unknowns. Written and parsed here, so that the
 * main agent reads exactly the agent's report.
 */
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'

export interface Fact {
  readonly path: string
  /** Null for a file or folder as a whole. */
  readonly line: number | null
  /** The exact text at the location. */
  readonly text?: string
  /** Its relevance. */
  readonly note?: string
}

interface Report {
  /** The job's title: `entry points and layout`. */
  readonly title: string
  /** The summary, one or two sentences. */
  readonly lead: string
  /** Lines of markdown, most important first. */
  readonly facts: readonly string[]
  /** Unknown facts, with the reasons. */
  readonly gaps: readonly string[]
}

const HEADING = 'Survey report: '
const GAP = 'Not known: '

/** Collects facts while an agent works; can be formatted at any time. */
export class Findings {
  private readonly title: string
  private readonly facts: string[] = []
  private readonly gaps: string[] = []
  private readonly locations = new Set<string>()
  private leadText = ''

  constructor(title: string) {
    this.title = title
  }

  lead(text: string): void {
    this.leadText = oneLine(text)
  }

  /** Skips a location that was reported before. */
  fact(fact: Fact): void {
    const location = locationOf(fact)
    if (this.locations.has(location)) return
    this.locations.add(location)
    this.facts.push(factLine(fact))
  }

  /** Whether a location was reported. */
  has(fact: Fact): boolean {
    return this.locations.has(locationOf(fact))
  }

  /** A fact without a single location. */
  remark(text: string): void {
    this.facts.push(`- ${oneLine(text)}`)
  }

  gap(text: string): void {
    this.gaps.push(oneLine(text))
  }

  report(): string {
    const lead = this.leadText === '' ? 'Nothing was found.' : this.leadText
    return [`${HEADING}${this.title}`, lead, this.facts.join('\n'), ...this.gaps.map((gap) => `${GAP}${gap}`)]
      .filter((part) => part !== '')
      .join('\n\n')
  }
}

/** Parses the report in a longer text, such as the result of an Agent call; null if there is none. */
export function readReport(text: string): Report | null {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(HEADING))
  if (start < 0) return null
  const facts: string[] = []
  const gaps: string[] = []
  let lead = ''
  for (const line of lines.slice(start + 1)) {
    if (/^\[agent \S.* turns?\b/.test(line)) break
    if (line.startsWith('- ')) facts.push(line)
    else if (line.startsWith(GAP)) gaps.push(line.slice(GAP.length))
    else if (line.trim() !== '' && lead === '') lead = line
  }
  return { title: (lines[start] ?? '').slice(HEADING.length), lead, facts, gaps }
}

const locationOf = ({ path, line }: Fact): string => (line === null ? path : `${path}:${line}`)

function factLine(fact: Fact): string {
  const { text, note } = fact
  const location = code(locationOf(fact))
  const quoted = text === undefined || text.trim() === '' ? '' : ` ${code(clip(text.trim(), 120))}`
  return `- ${location}${quoted}${note === undefined ? '' : ` ${oneLine(note)}`}`
}

/** Formats any text as inline code in markdown. */
export function code(text: string): string {
  const shown = oneLine(text)
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  if (longest === 0) return `\`${shown}\``
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${shown} ${fence}`
}

export function clip(text: string, length: number): string {
  const characters = [...text]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text
}

/** `1 file`, `3 files`, `1,200 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** `a, b and c`. */
export function joined(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? ''
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** Escapes names and messages from the folder, so that they cannot pass for report syntax or start a line. */
function oneLine(text: string): string {
  return makeVisible(text.replace(/\s*[\r\n]+\s*/g, ' '))
}
