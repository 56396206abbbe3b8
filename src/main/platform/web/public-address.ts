/** Whether an address is on the public internet. Everything else is refused: this machine, its networks, metadata services. */
import ipaddr from 'ipaddr.js'

/** A public address with a service for virtual machines behind it: Azure's. */
const METADATA = new Set(['168.63.129.16'])

/** `address` is an IP address as text, as a resolver returns it. False for anything else. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '')
  if (!ipaddr.isValid(plain)) return false
  const parsed = ipaddr.parse(plain)
  return parsed instanceof ipaddr.IPv6 ? isPublicIPv6(parsed) : isPublicIPv4(parsed)
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !METADATA.has(address.toString())
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress()) return isPublicIPv4(address.toIPv4Address())
  // NAT64 (64:ff9b::/96): the IPv4 address is in the last four bytes.
  if (address.range() === 'rfc6052') return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
  // Only 2000::/3 is assigned to the internet; tunnels and other special blocks in it have a range of their own.
  return address.range() === 'unicast' && ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}
