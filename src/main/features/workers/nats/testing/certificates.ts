/** Certificates for a test's server: an authority, and a certificate signed by it. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Writes `ca.pem`, `server.pem` and `server.key` into the folder. `names`: `IP:127.0.0.1,DNS:localhost`. */
export async function makeCertificates(
  folder: string,
  { names = 'IP:127.0.0.1', expired = false }: { readonly names?: string; readonly expired?: boolean } = {},
): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=ca',
  )
  await openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server')
  await writeFile(join(folder, 'names'), `subjectAltName=${names}\n`)
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
  const days = expired ? '-1' : '2'
  await openssl('x509', '-req', '-in', 'server.csr', ...signed, '-days', days, '-out', 'server.pem')
}
