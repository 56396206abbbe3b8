/** A registry of npm packages on 127.0.0.1, with packages that a test makes. */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

interface ExamplePackage {
  readonly name: string
  readonly version: string
  /** Further fields of its package.json. */
  readonly fields?: object
  /** Text by path. */
  readonly files: Readonly<Record<string, string>>
  /** Who published it. */
  readonly publisher?: string
}

export interface PackageRegistry {
  readonly url: string
  add(example: ExamplePackage): void
  /** What a tarball's request gets: the tarball, an error, or no answer. */
  tarballs: 'served' | 'broken' | 'silent'
  /** Resolves when a tarball is asked for. */
  asked(): Promise<void>
  close(): Promise<void>
}

export async function startPackageRegistry(): Promise<PackageRegistry> {
  const packages: ExamplePackage[] = []
  const waiting: (() => void)[] = []
  const registry = { tarballs: 'served' as PackageRegistry['tarballs'] }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const [name = '', version] = path.split('/-/')
    if (version !== undefined) {
      for (const resolve of waiting.splice(0)) resolve()
      if (registry.tarballs === 'silent') return
      if (registry.tarballs === 'broken') return void response.writeHead(404).end()
      const found = packages.find((each) => each.name === name && `${each.version}.tgz` === version)
      return void (found === undefined ? response.writeHead(404).end() : response.end(tarballOf(found)))
    }
    json(
      response,
      documentOf(
        packages.filter((each) => each.name === name),
        url,
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return Object.assign(registry, {
    url,
    add: (example: ExamplePackage) => void packages.push(example),
    asked: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

function json(response: ServerResponse, document: object | null): void {
  response.setHeader('content-type', 'application/json')
  if (document === null) response.writeHead(404).end('{"error":"not found"}')
  else response.end(JSON.stringify(document))
}

/** What a registry says about all versions of a package. */
function documentOf(versions: readonly ExamplePackage[], url: string): object | null {
  const last = versions.at(-1)
  if (last === undefined) return null
  return {
    name: last.name,
    'dist-tags': { latest: last.version },
    versions: Object.fromEntries(
      versions.map((each) => {
        const tarball = `${url}${each.name}/-/${each.version}.tgz`
        const integrity = `sha512-${createHash('sha512').update(tarballOf(each)).digest('base64')}`
        const publisher = each.publisher && { _npmUser: { name: each.publisher, email: 'a@example.org' } }
        return [each.version, { ...manifestOf(each), ...publisher, dist: { tarball, integrity } }]
      }),
    ),
  }
}

const manifestOf = ({ name, version, fields }: ExamplePackage) => ({ name, version, ...fields })

/** The package as `npm pack` makes it. */
function tarballOf(example: ExamplePackage): Buffer {
  const files = { 'package.json': JSON.stringify(manifestOf(example)), ...example.files }
  const blocks = Object.entries(files).flatMap(([path, text]) =>
    tarEntry(`package/${path}`, Buffer.from(text)),
  )
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

/** One file of a tar archive: a header of 512 bytes, and the content in blocks of that size. */
function tarEntry(path: string, content: Buffer): readonly Buffer[] {
  const header = Buffer.alloc(512)
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  header.write(path, 0)
  header.write(octal(0o755, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(content.length, 12), 124)
  header.write(octal(0, 12), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  )
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
}
