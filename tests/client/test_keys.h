// A key and a certificate for 127.0.0.1 that prove nothing to anybody: made for
// tests of TLS, and good for a hundred years.
//
//   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes
//     -days 36500 -subj /CN=localhost
//     -addext subjectAltName=IP:127.0.0.1,DNS:localhost
#ifndef FORBEAR_TESTS_CLIENT_TEST_KEYS_H_
#define FORBEAR_TESTS_CLIENT_TEST_KEYS_H_

namespace forbear {
namespace testing {

inline constexpr char kTestKey[] = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxvRBTqXGya/N9NP5
3LuW0cW9TRdhpztJ69KEIcf7D0ahRANCAASwMMf6lhc0LZ8W1FUNPEAG8Nnzu9J+
vDexNSVjcLv4ZKpRTU4tm9nCRD5j+lAoC/eW19UBXrSmgN8ee3EF6Ywu
-----END PRIVATE KEY-----
)";

inline constexpr char kTestCertificate[] = R"(-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUe80YTv86SBQo4b2GPOdeYLttQywwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTIwMTA0MDQzNloYDzIxMjYxMTA3
MDQwNDM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASwMMf6lhc0LZ8W1FUNPEAG8Nnzu9J+vDexNSVjcLv4ZKpRTU4tm9nC
RD5j+lAoC/eW19UBXrSmgN8ee3EF6Ywuo28wbTAdBgNVHQ4EFgQUbbAlFBCv9NQ4
Omfkmdhb2aUSZj4wHwYDVR0jBBgwFoAUbbAlFBCv9NQ4Omfkmdhb2aUSZj4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgfKks2DqjJr3R7PGyU22c+4zAUDtc2Yi29OBGSYPS6akCIQDA
BG36Mp3NL/nqy/crHXtxRttj/Kpakyu4TVfXDXxFfw==
-----END CERTIFICATE-----
)";

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_TEST_KEYS_H_
