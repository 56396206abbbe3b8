/**
 * What an agent of the survey reports: a sentence, then facts with their places, then what it could not find
 * out. Written and read here, so that the main agent takes from a report exactly what was put into it.
 */
import { makeVisible } from '../../../../shared/visible-text.ts'

export interface Fact {
  readonly path: string
  /** Null for a file or folder as a whole. */
  readonly line: number | null
  /** What stands there, word for word. */
  readonly text?: string
  /** What it has to do with the matter. */
  readonly note?: string
}

export interface Report {
  /** The job's title: `entry points and layout`. */
  readonly title: string
  /** What it comes to, in a sentence or two. */
  readonly lead: string
  /** As lines of markdown, the most telling first. */
  readonly facts: readonly string[]
  /** What is missing, and why. */
  readonly gaps: readonly string[]
}

const HEADING = 'Survey report: '
const GAP = 'Not known: '

/** What an agent gathers while it works; at any moment it can be told. */
export class Findings {
  private readonly title: string
  private readonly facts: string[] = []
  private readonly gaps: string[] = []
  private readonly places = new Set<string>()
  private leadText = ''

  constructor(title: string) {
    this.title = title
  }

  lead(text: string): void {
    this.leadText = oneLine(text)
  }

  /** A place that was told already is not told again. */
  fact(fact: Fact): void {
    const place = placeOf(fact)
    if (this.places.has(place)) return
    this.places.add(place)
    this.facts.push(factLine(fact))
  }

  /** Whether a place was told. */
  has(fact: Fact): boolean {
    return this.places.has(placeOf(fact))
  }

  /** A fact that has no single place. */
  remark(text: string): void {
    this.facts.push(`- ${oneLine(text)}`)
  }

  gap(text: string): void {
    this.gaps.push(oneLine(text))
  }

  report(): string {
    const lead = this.leadText === '' ? 'Nothing was found out.' : this.leadText
    return [`${HEADING}${this.title}`, lead, this.facts.join('\n'), ...this.gaps.map((gap) => `${GAP}${gap}`)]
      .filter((part) => part !== '')
      .join('\n\n')
  }
}

/** The report in a longer text, such as the result of an Agent call; null where there is none. */
export function readReport(text: string): Report | null {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(HEADING))
  if (start < 0) return null
  const facts: string[] = []
  const gaps: string[] = []
  let lead = ''
  for (const line of lines.slice(start + 1)) {
    if (/^\[agent a-/.test(line)) break
    if (line.startsWith('- ')) facts.push(line)
    else if (line.startsWith(GAP)) gaps.push(line.slice(GAP.length))
    else if (line.trim() !== '' && lead === '') lead = line
  }
  return { title: (lines[start] ?? '').slice(HEADING.length), lead, facts, gaps }
}

const placeOf = ({ path, line }: Fact): string => (line === null ? path : `${path}:${line}`)

function factLine(fact: Fact): string {
  const { text, note } = fact
  const place = code(placeOf(fact))
  const quoted = text === undefined || text.trim() === '' ? '' : ` ${code(clip(text.trim(), 120))}`
  return `- ${place}${quoted}${note === undefined ? '' : ` ${oneLine(note)}`}`
}

/** As code in markdown, whatever stands in it. */
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

/** Names and messages from a folder are text: nothing in them may look like ours or start a line. */
function oneLine(text: string): string {
  return makeVisible(text.replace(/\s*[\r\n]+\s*/g, ' '))
}
