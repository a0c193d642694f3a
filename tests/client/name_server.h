// A name server that knows one host, which is this machine, and tells the
// service config of whoever is asked for.
//
//   NameServer names(R"({"methodConfig": [...]})");
//   CreateChannel(names.Target("shop.test", server_port), ...);
#ifndef FORBEAR_TESTS_CLIENT_NAME_SERVER_H_
#define FORBEAR_TESTS_CLIENT_NAME_SERVER_H_

#include <string>
#include <thread>

namespace forbear {
namespace testing {

class NameServer {
 public:
  explicit NameServer(const std::string& service_config);
  ~NameServer();

  // Has `host` resolved here; `address` gives the port.
  std::string Target(const std::string& host, const std::string& address) const;

 private:
  void Serve();
  std::string Answer(const std::string& query) const;

  const std::string text_;
  int socket_;
  int port_;
  std::thread server_;
};

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_NAME_SERVER_H_
