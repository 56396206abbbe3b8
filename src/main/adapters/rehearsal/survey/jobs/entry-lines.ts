/** Patterns of lines at which programs start, by language. */

interface EntryKind {
  /** Extensions of the files to search; empty: any file. */
  readonly in: string
  /** A pattern that ripgrep and JavaScript read alike. */
  readonly pattern: string
  readonly note: string
}

const PAGES = 'ts tsx js jsx mjs cjs mts vue svelte'

const KINDS: readonly EntryKind[] = [
  { in: 'go', pattern: '^func main\\(\\)', note: 'starts a Go program' },
  { in: 'rs', pattern: '^\\s*(pub )?(async )?fn main\\s*\\(', note: 'starts a Rust program' },
  { in: 'py', pattern: '^if __name__ == [\'"]__main__[\'"]', note: 'starts a Python program' },
  { in: 'c h cc cpp cxx', pattern: '^(int|void|auto)\\s+main\\s*\\(', note: 'starts a C or C++ program' },
  { in: 'java', pattern: 'public static void main\\s*\\(', note: 'starts a Java program' },
  { in: 'kt kts', pattern: '^\\s*fun main\\s*\\(', note: 'starts a Kotlin program' },
  {
    in: 'cs',
    pattern: 'static (async )?(void|int|Task(<int>)?) Main\\s*\\(',
    note: 'starts a .NET program',
  },
  { in: 'cs', pattern: 'WebApplication\\.CreateBuilder\\(', note: 'starts a web server' },
  { in: 'swift', pattern: '^@main\\b', note: 'starts a Swift program' },
  { in: 'ex exs', pattern: '^\\s*use Application\\b', note: 'starts an Elixir application' },
  { in: PAGES, pattern: '\\bapp\\.whenReady\\(\\)', note: 'starts an Electron program' },
  {
    in: PAGES,
    pattern: '\\b(createRoot|hydrateRoot|createApp|ReactDOM\\.render)\\(',
    note: 'draws the page',
  },
  { in: PAGES, pattern: '\\b(server|app|fastify)\\.listen\\(', note: 'starts to listen' },
  { in: 'go', pattern: '\\bhttp\\.ListenAndServe\\(', note: 'starts to listen' },
  { in: 'py', pattern: '\\b(uvicorn|app)\\.run\\(', note: 'starts to listen' },
  { in: 'py', pattern: '^urlpatterns\\s*=', note: 'defines routes' },
  { in: '', pattern: '^#!/', note: 'can be run directly' },
]

/** The patterns for files with these extensions. */
export function entryPattern(endings: ReadonlySet<string>): string {
  return KINDS.filter((kind) => kind.in === '' || kind.in.split(' ').some((ending) => endings.has(ending)))
    .map(({ pattern }) => pattern)
    .join('|')
}

/** Describes a matching line. */
export function entryNote(text: string): string {
  return KINDS.find(({ pattern }) => new RegExp(pattern).test(text))?.note ?? 'may be an entry point'
}
